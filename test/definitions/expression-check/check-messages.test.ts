/** What is found in expressions over a message alone, and where: `«` stands before it (marked-package.ts). */
import { describe } from 'node:test';
import { alias, each, inside, NAME, PATH, started, TYPE } from './marked-model.ts';

const http = (rest: string): string => `channels:
  - name: orders
    transport: http
    codec: 'urn:order'
    ${rest}
`;

const end = '<endEvent id="n"/>';

describe('expressions of channels.yaml', () => {
  each([
    ['over the schema of the channel', { channels: http('dedup-key: payload.id') }, []],
    [
      'with a property that the schema does not have',
      { channels: http('dedup-key: payload.«ident') },
      [`error ${PATH}`],
      /^dedup-key of channel "orders": a context has no property 'ident'/,
    ],
    [
      'in quotes',
      { channels: http(`dedup-key: "=  payload.«idd"`) },
      [`error ${PATH}`],
      /did you mean 'id'\?$/,
    ],
    [
      'with kinds that do not compare',
      { channels: http('dedup-key: if «payload.amount > "5" then "a" else "b"') },
      [`error ${TYPE}`],
    ],
    [
      'that gives no key',
      { channels: http('dedup-key: «payload.lines') },
      [`error ${TYPE}`],
      /the dedup key must be a string, a number or a boolean, and is a list/,
    ],
    [
      'on several lines, at the name',
      { channels: http('dedup-key: |\n      payload.«ident') },
      [`error ${PATH}`],
    ],
    [
      'that names the property of a filtered element',
      { channels: http('dedup-key: string(payload.lines[price > 1][1].price)') },
      [],
    ],
    [
      'that names what no message has',
      { channels: http('dedup-key: payload.id + «order.id') },
      ['error CHANNELS.DEDUP_KEY_INVALID'],
    ],
    [
      'that names a property that no filtered element has',
      { channels: http('dedup-key: string(payload.lines[«cost > 1][1].price)') },
      [`warning ${NAME}`],
    ],
    [
      'of a priority',
      {
        channels:
          'channels:\n  - name: work\n    transport: pull\n    task: { priority: "= payload.urgent" }\n',
      },
      [],
    ],
    [
      'of a priority that names what a request is not',
      {
        channels:
          'channels:\n  - name: work\n    transport: pull\n    task: { priority: "= «order.urgent" }\n',
      },
      [`error ${NAME}`],
      /^priority of channel "work": there is no variable 'order'/,
    ],
    [
      'of a priority that is no number',
      {
        channels:
          'channels:\n  - name: work\n    transport: pull\n    task:\n      priority: «string(payload.urgent)\n',
      },
      [`error ${TYPE}`],
    ],
  ]);
});

describe('expressions over the message that starts an instance', () => {
  each([
    ['of an alias', started(end, { alias: alias('order.id') }), []],
    [
      'of an alias, after a sign and white space',
      started(end, { alias: alias(' = order.«idd') }),
      [`error ${PATH}`],
      /did you mean 'id'/,
    ],
    [
      'of an alias with a header and the event',
      started(end, { alias: alias('header.x + event.id + payload.id') }),
      [],
    ],
    [
      'of an alias with a variable that is not there yet',
      started(end, { alias: alias('«customer.id') }),
      [`error ${NAME}`],
    ],
    [
      'of an alias with a variable that is declared',
      started(end, {
        alias: alias('customer.id'),
        variables: inside('<q:variables><q:variable name="customer"/></q:variables>'),
      }),
      [],
    ],
    [
      'of an alias with entities in the attribute',
      started(end, { alias: alias('if order.amount &gt; 5 then order.«idd else &quot;x&quot;') }),
      [`error ${PATH}`],
    ],
    [
      'of an alias that gives no key',
      started(end, { alias: alias('«order.lines') }),
      [`error ${TYPE}`],
      /the value of the alias must be/,
    ],
    [
      'of an alias that compares a number with a text',
      started(end, { alias: alias('if «order.amount = &quot;5&quot; then 1 else 2') }),
      [`error ${TYPE}`],
    ],
    [
      'of an alias with a date that is a text in JSON',
      started(end, { alias: alias('if «order.due &lt; today() then 1 else 2') }),
      [`error ${TYPE}`],
      /read the string with date\(text\)/,
    ],
    [
      'of an alias over a payload that may have more',
      started(end, { channel: 'payments', variable: 'pay', alias: alias('pay.«ref') }),
      [`warning ${PATH}`],
    ],
    [
      'of an alias over any payload',
      started(end, { channel: 'loose', variable: 'pay', alias: alias('pay.ref.x') }),
      [],
    ],
    [
      'of a dedup key',
      {
        model: `<process id="p" isExecutable="true"><startEvent id="s">${inside('<q:source channel="orders" name="order" dedupKey="=order.«number"/>')}<messageEventDefinition/></startEvent></process>`,
      },
      [`error ${PATH}`],
    ],
    [
      'of a dedup key that names a variable',
      {
        model: `<process id="p" isExecutable="true"><startEvent id="s">${inside('<q:source channel="orders" dedupKey="«order.id"/>')}<messageEventDefinition/></startEvent></process>`,
      },
      [`error ${NAME}`],
    ],
    [
      'of several messages, each with its own payload',
      {
        model: `<process id="p" isExecutable="true"><startEvent id="s">
<messageEventDefinition>${inside(`<q:source channel="orders" name="order"/>${alias('order.«idd')}`)}</messageEventDefinition>
<messageEventDefinition>${inside(`<q:source channel="payments" name="pay"/>${alias('pay.reference')}`)}</messageEventDefinition>
</startEvent></process>`,
      },
      [`error ${PATH}`],
    ],
    [
      'with the schema of the type of message',
      {
        ...started(end, { alias: alias('order.«id') }),
        model: `<process id="p" isExecutable="true"><startEvent id="s">${inside(`<q:source channel="orders" name="order" messageTypeValue="cancel"/>${alias('order.«id')}`)}<messageEventDefinition/></startEvent></process>`,
        schemas: {
          'order/order': { type: 'object', properties: { id: {} }, additionalProperties: false },
          'order/cancel': { type: 'object', properties: { reason: {} }, additionalProperties: false },
          'payment/payment': {},
        },
      },
      [`error ${PATH}`],
    ],
  ]);
});
