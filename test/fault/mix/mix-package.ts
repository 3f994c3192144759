/**
 * What runs while an engine is killed and operators are at work: calls that are retried, a timer that cycles, one that
 * interrupts, a gateway that fails without a variable, a count in a data store, and notices to a peer. In two versions,
 * whose one difference is the name of an element: PLAIN packs where RENAMED wraps.
 */
import { call, flows, packageFiles, start } from '../../support/packages.ts';

export const PICK_ATTEMPTS = 3;
/** The nudges of one stay at `pick`. */
export const NUDGES = 2;
/** Record keys of the store `books`: more than one, so that not every order waits for every other. */
export const BOOKS = 4;
export const VERSIONS = ['plain', 'renamed'] as const;
export type Version = (typeof VERSIONS)[number];
/** What the element is called at which an order is packed. */
export const PACK_OF: Readonly<Record<Version, string>> = { plain: 'pack', renamed: 'wrap' };

/** Without a weight an order fails at the gateway until an operator writes one. */
export const hasWeight = (n: number): boolean => n % 4 !== 1;

const n = '<q:param name="n" expression="order.n"/>';
const timer = (id: string, inside: string): string =>
  `<timerEventDefinition id="${id}-timer">${inside}</timerEventDefinition>`;
const notice = (text: string): string =>
  `<extensionElements><q:send channel="notices" body='={n: order.n, what: "${text}"}'/></extensionElements><messageEventDefinition/>`;

export function mixPackage(version: Version, peerUrl: string): Record<string, string> {
  const pack = PACK_OF[version];
  return packageFiles({
    version: version === 'plain' ? '1.0.0' : '1.1.0',
    definitions: '<dataStore id="books-store" name="books"/>',
    channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: picks, transport: pull }
  - { name: ships, transport: pull }
  - { name: packs, transport: pull }
  - { name: notices, transport: http, bind: "${peerUrl}" }`,
    processes: {
      order: `
        <dataObject id="d-order" name="order"/>
        <dataStoreReference id="book-record" name="book" dataStoreRef="books-store">
          <extensionElements><q:store key="=string(modulo(order.n, ${String(BOOKS)}))" field="count" forUpdate="true"/></extensionElements>
        </dataStoreReference>
        ${start('orders', '', 'name="order"')}
        ${call(
          'pick',
          'picks',
          `${n}<q:timeout duration="PT0.8S"/><q:retry maxAttempts="${String(PICK_ATTEMPTS)}" initialDelay="PT0.2S" maxDelay="PT0.4S"/><q:alias name="order" expression="string(order.n)"/><q:output variable="picked"/>`,
        )}
        <boundaryEvent id="nudge" attachedToRef="pick" cancelActivity="false">${timer('nudge', `<timeCycle>R${String(NUDGES)}/PT0.5S</timeCycle>`)}</boundaryEvent>
        <scriptTask id="nudged"><extensionElements><q:output variable="nudges"/></extensionElements><script>=if nudges = null then 1 else nudges + 1</script></scriptTask>
        <endEvent id="nudge-end"/>
        <exclusiveGateway id="gate"/>
        ${call('ship', 'ships', `${n}<q:output variable="shipped"/>`)}
        <boundaryEvent id="overdue" attachedToRef="ship">${timer('overdue', '<timeDuration>PT1.2S</timeDuration>')}</boundaryEvent>
        <intermediateThrowEvent id="complain">${notice('late')}</intermediateThrowEvent>
        ${call(pack, 'packs', `${n}<q:output variable="packed"/>`)}
        <serviceTask id="book">
          <ioSpecification><dataInput id="count"/><inputSet/><outputSet/></ioSpecification>
          <dataInputAssociation><sourceRef>book-record</sourceRef><targetRef>count</targetRef></dataInputAssociation>
          <dataOutputAssociation>
            <targetRef>book-record</targetRef>
            <assignment><from>=if count = null then 1 else count + 1</from><to>book</to></assignment>
          </dataOutputAssociation>
        </serviceTask>
        <intermediateThrowEvent id="tell">${notice('sold')}</intermediateThrowEvent>
        <endEvent id="end"/>
        ${flows(
          'start -> pick',
          'nudge -> nudged',
          'nudged -> nudge-end',
          'pick -> gate',
          'overdue -> complain',
          `complain -> ${pack}`,
          `ship -> ${pack}`,
          `${pack} -> book`,
          'book -> tell',
          'tell -> end',
        )}
        <sequenceFlow id="gate-to-ship" sourceRef="gate" targetRef="ship"><conditionExpression>=order.weight != null or weight != null</conditionExpression></sequenceFlow>`,
    },
  });
}
