/**
 * Twenty typical mistakes, each as a change of one package that has none (`test/fixtures/lint/orders`).
 *
 * `▮` in what is wrong marks where a finding is to be; it is not part of the file.
 */

export interface Mistake {
  readonly title: string;
  /** What happens, or would happen. */
  readonly text: string;
  readonly edits: readonly MistakeEdit[];
  /** Of the findings, in their order. */
  readonly codes: readonly string[];
  readonly remedy: string;
}

export interface MistakeEdit {
  readonly file: string;
  /** Is once in the file. */
  readonly right: string;
  readonly wrong: string;
}

const MODEL = 'bpmn/orders.bpmn';
const CHANNELS = 'channels.yaml';

const flow = (id: string, source: string, target: string): string =>
  `<bpmn:sequenceFlow id="${id}" sourceRef="${source}" targetRef="${target}" />`;

/** A change of one text in the model. */
const inModel = (right: string, wrong: string): MistakeEdit => ({ file: MODEL, right, wrong });

const inGraph: readonly Mistake[] = [
  {
    title: 'A sequence flow to nowhere',
    text: 'The end event was given another id, or was deleted, and the flow still leads to the old one.',
    edits: [
      inModel(
        flow('expired', 'late', 'rejected'),
        flow('expired', 'late', 'refused').replace('targetRef', '▮targetRef'),
      ),
    ],
    codes: ['SUTRA.BPMN.REFERENCE_DANGLING'],
    remedy: 'Lead the flow to a node that is there.',
  },
  {
    title: 'A flow node that nothing leads to',
    text: 'A token never comes here. Often two nodes were connected the wrong way round, or the flow was lost when something between was deleted.',
    edits: [
      inModel(
        '<bpmn:endEvent id="rejected" name="Order rejected" />',
        `▮<bpmn:scriptTask id="note" name="Note why" scriptFormat="feel">
      <bpmn:script>=order.id</bpmn:script>
    </bpmn:scriptTask>
    ${flow('noted', 'note', 'rejected')}
    <bpmn:endEvent id="rejected" name="Order rejected" />`,
      ),
    ],
    codes: ['SUTRA.BPMN.NODE_UNREACHABLE'],
    remedy: 'Lead a flow to the node, or remove it.',
  },
  {
    title: 'A way out without a condition',
    text: 'An exclusive gateway takes the first flow whose condition holds, so a flow without one has to be its default.',
    edits: [
      inModel(
        '<bpmn:exclusiveGateway id="decide" name="Is it good?" default="bad" />',
        '<bpmn:exclusiveGateway id="decide" name="Is it good?" />',
      ),
      inModel(flow('bad', 'decide', 'rejected'), `▮${flow('bad', 'decide', 'rejected')}`),
    ],
    codes: ['SUTRA.BPMN.CONDITION_MISSING'],
    remedy: 'Make it the default.',
  },
  {
    title: 'No default',
    text: 'Every flow has a condition, and for some data none of them holds: here for a rating of exactly 50. The instance then fails at the gateway.',
    edits: [
      inModel(
        '<bpmn:exclusiveGateway id="decide" name="Is it good?" default="bad" />',
        '▮<bpmn:exclusiveGateway id="decide" name="Is it good?" />',
      ),
      inModel(
        flow('bad', 'decide', 'rejected'),
        `<bpmn:sequenceFlow id="bad" sourceRef="decide" targetRef="rejected">
      <bpmn:conditionExpression>=rating &lt; 50</bpmn:conditionExpression>
    </bpmn:sequenceFlow>`,
      ),
    ],
    codes: ['SUTRA.LINT.DEFAULT_MISSING'],
    remedy: 'Make the flow that is meant for all the rest the default, without a condition.',
  },
  {
    title: 'A dead end',
    text: 'The path of late payments stops at a task, whereas the others lead to an end event. It looks forgotten, and what was to come is not done.',
    edits: [
      inModel(
        flow('expired', 'late', 'rejected'),
        `${flow('expired', 'late', 'remind')}
    ▮<bpmn:serviceTask id="remind" name="Remind the customer" implementation="channel:confirmations" />`,
      ),
    ],
    codes: ['SUTRA.LINT.DEAD_END'],
    remedy: 'Lead a flow from the last node to what comes next, or to an end event.',
  },
  {
    title: 'A join that can never fire',
    text: 'A parallel gateway waits for a token on each of its flows. An exclusive gateway sends only one, so the instance waits for ever.',
    edits: [
      inModel(
        '<bpmn:parallelGateway id="split" />',
        '<bpmn:exclusiveGateway id="split" default="to-score" />',
      ),
      inModel(
        flow('to-reserve', 'split', 'reserve'),
        `<bpmn:sequenceFlow id="to-reserve" sourceRef="split" targetRef="reserve">
      <bpmn:conditionExpression>=order.amount &gt; 100</bpmn:conditionExpression>
    </bpmn:sequenceFlow>`,
      ),
      inModel('<bpmn:parallelGateway id="join" />', '▮<bpmn:parallelGateway id="join" />'),
    ],
    codes: ['SUTRA.LINT.JOIN_NEVER_FIRES'],
    remedy: 'Join with the kind of gateway that splits: alternatives with an exclusive one.',
  },
  {
    title: 'Parallel branches that meet at an exclusive gateway',
    text: 'An exclusive gateway lets every token pass, so that what follows runs once for each branch: here the order is rated, paid and confirmed twice.',
    edits: [inModel('<bpmn:parallelGateway id="join" />', '▮<bpmn:exclusiveGateway id="join" />')],
    codes: ['SUTRA.LINT.BRANCHES_NOT_JOINED'],
    remedy: 'Join the branches with a parallel gateway.',
  },
];

const inEvents: readonly Mistake[] = [
  {
    title: 'A timer that is not ISO-8601',
    text: 'Durations are written as in ISO-8601, and nothing guesses what else could be meant.',
    edits: [
      inModel('<bpmn:timeDuration>P3D</bpmn:timeDuration>', '<bpmn:timeDuration>▮3 days</bpmn:timeDuration>'),
    ],
    codes: ['SUTRA.BPMN.TIMER_INVALID'],
    remedy: 'Write `P3D` for three days, `PT5M` for five minutes.',
  },
  {
    title: 'A boundary event on the wrong host',
    text: 'A boundary event belongs to an activity: a gateway and an event are passed at once, and nothing can interrupt them.',
    edits: [
      inModel(
        '<bpmn:boundaryEvent id="late" name="Not paid" attachedToRef="pay">',
        '▮<bpmn:boundaryEvent id="late" name="Not paid" ▮attachedToRef="decide">',
      ),
    ],
    codes: ['SUTRA.BPMN.NODE_UNREACHABLE', 'SUTRA.BPMN.BOUNDARY_EVENT_HOST_INVALID'],
    remedy: 'Attach it to the activity that waits.',
  },
  {
    title: 'A boundary event that cannot occur',
    text: 'What only evaluates is done at once, in one step. No timer can be due while it runs.',
    edits: [
      inModel(
        `<bpmn:receiveTask id="pay" name="Wait for the payment">
      <bpmn:extensionElements>
        <q:source channel="payments" name="payment" />
        <q:alias name="orderId" expression="payment.orderId" />
      </bpmn:extensionElements>
    </bpmn:receiveTask>
    <bpmn:boundaryEvent id="late"`,
        `<bpmn:scriptTask id="pay" name="Take the payment" scriptFormat="feel">
      <bpmn:script>={ payment: order }</bpmn:script>
    </bpmn:scriptTask>
    ▮<bpmn:boundaryEvent id="late"`,
      ),
      {
        file: CHANNELS,
        right: `  - name: payments
    transport: http
    ack-mode: on-persist
`,
        wrong: '',
      },
    ],
    codes: ['SUTRA.LINT.BOUNDARY_NEVER_OCCURS'],
    remedy: 'Attach the event to the activity that waits, or remove it.',
  },
  {
    title: 'A wait that nobody can answer',
    text: 'What comes on a `local` channel is what the processes of the module send, and none of them sends payments.',
    edits: [
      inModel(
        '<q:source channel="payments" name="payment" />',
        '▮<q:source channel="payments" name="payment" />',
      ),
      {
        file: CHANNELS,
        right: '  - name: payments\n    transport: http\n',
        wrong: '  - name: payments\n    transport: local\n',
      },
    ],
    codes: ['SUTRA.LINT.NOTHING_ARRIVES'],
    remedy: 'Take the messages from a channel that others can reach.',
  },
  {
    title: 'An alias that is the same in every instance',
    text: 'The expression is a text, not the id in the payment. As soon as two orders wait, a payment is found to be for both, and is refused (422).',
    edits: [
      inModel(
        '<q:alias name="orderId" expression="payment.orderId" />',
        '▮<q:alias name="orderId" expression="&quot;payment.orderId&quot;" />',
      ),
    ],
    codes: ['SUTRA.LINT.ALIAS_CONSTANT'],
    remedy: 'Take the value from the message.',
  },
];

const inChannels: readonly Mistake[] = [
  {
    title: 'A channel that is not declared',
    text: 'The model and `channels.yaml` write the name in different ways.',
    edits: [
      inModel(
        '<bpmn:serviceTask id="score" name="Score the order" implementation="channel:score-request">',
        '▮<bpmn:serviceTask id="score" name="Score the order" implementation="channel:score-requests">',
      ),
    ],
    codes: ['SUTRA.PACKAGE.CHANNEL_UNKNOWN'],
    remedy: 'Use the name that is declared, or declare the channel.',
  },
  {
    title: 'A channel that nothing uses',
    text: 'Nothing sends to it or takes from it. If it is bound to a path, whoever posts there is refused.',
    edits: [
      {
        file: CHANNELS,
        right: '  - name: confirmations\n    transport: pull\n',
        wrong:
          '  - name: confirmations\n    transport: pull\n  - ▮name: cancellations\n    transport: http\n',
      },
    ],
    codes: ['SUTRA.LINT.CHANNEL_UNUSED'],
    remedy: 'Remove it, or use it in a model.',
  },
  {
    title: 'A timeout before the second try',
    text: 'The lock of a worker that dies runs out after ten minutes, and the call has been given up five minutes before: the retries of the channel are never used.',
    edits: [
      inModel('<bpmn:serviceTask id="score"', '▮<bpmn:serviceTask id="score"'),
      inModel('<q:timeout duration="PT1H" />', '<q:timeout duration="PT5M" />'),
      { file: CHANNELS, right: 'lock-duration: PT30S', wrong: 'lock-duration: PT10M' },
    ],
    codes: ['SUTRA.LINT.TIMEOUT_TOO_SHORT'],
    remedy: 'Give the call more time than a try takes, or shorten the lock.',
  },
];

const inOperation: readonly Mistake[] = [
  {
    title: 'More than the operator allows',
    text: 'The operator has set ceilings, here those that hold unless the configuration says otherwise. They are known to a deployment, and to `sutra lint --config <file>`.',
    edits: [{ file: CHANNELS, right: 'lock-duration: PT30S', wrong: 'lock-duration: ▮PT2H' }],
    codes: ['SUTRA.CHANNELS.CEILING_EXCEEDED'],
    remedy: 'Stay below the ceiling; a worker that needs longer extends its lock.',
  },
];

const inData: readonly Mistake[] = [
  {
    title: 'A name that nothing makes',
    text: 'FEEL gives null for a name that it does not know, and for what is computed with null; so no rating is ever above 50.',
    edits: [inModel('=score.value - order.amount / 100', '=score.value - ▮oder.amount / 100')],
    codes: ['SUTRA.FEEL.NAME_UNKNOWN'],
    remedy: 'Correct the name.',
  },
  {
    title: 'A number compared with a text',
    text: 'The schema of the channel says that the amount is a number. A text is neither less nor greater than a number: the comparison gives null.',
    edits: [inModel('=rating &gt; 50', '=rating &gt; 50 and ▮order.amount &lt; "1000"')],
    codes: ['SUTRA.FEEL.TYPE_MISMATCH'],
    remedy: 'Compare values of one kind.',
  },
  {
    title: 'A transient variable that is read after a wait',
    text: 'A transient variable is not kept when the instance waits. After the score has come the order is null: it cannot be rated, and is confirmed without its id.',
    edits: [
      inModel(
        '<q:variable name="order" sensitive="true" />',
        '<q:variable name="order" sensitive="true" transient="true" />',
      ),
      inModel(
        '<bpmn:endEvent id="confirmed" name="Order confirmed">',
        '▮<bpmn:endEvent id="confirmed" name="Order confirmed">',
      ),
      inModel(
        '<bpmn:scriptTask id="rate" name="Rate the order" scriptFormat="feel">',
        '▮<bpmn:scriptTask id="rate" name="Rate the order" scriptFormat="feel">',
      ),
    ],
    codes: ['SUTRA.LINT.TRANSIENT_LOST', 'SUTRA.LINT.TRANSIENT_LOST'],
    remedy: 'Keep the variable. `sensitive` alone hides it wherever it could be shown.',
  },
  {
    title: 'A variable that nothing reads',
    text: 'The rating is computed, and the decision is made without it.',
    edits: [
      inModel(
        '<bpmn:scriptTask id="rate" name="Rate the order" scriptFormat="feel">',
        '▮<bpmn:scriptTask id="rate" name="Rate the order" scriptFormat="feel">',
      ),
      inModel('=rating &gt; 50', '=score.value &gt; 50'),
    ],
    codes: ['SUTRA.LINT.VARIABLE_UNUSED'],
    remedy: 'Read the variable where it was meant to be read, or take out what writes it.',
  },
];

export const mistakes: readonly Mistake[] = [
  ...inGraph,
  ...inEvents,
  ...inChannels,
  ...inOperation,
  ...inData,
];
