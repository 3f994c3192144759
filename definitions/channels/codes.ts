/** The error codes of `channels.yaml`. A deployment with one of them is refused whole. */
import type { CodeTable } from '../../config/engine-error.ts';

const refused = { httpStatus: 422, retry: 'after-change' } as const;

export const channelsCodes = {
  'SUTRA.CHANNELS.YAML_INVALID': {
    ...refused,
    meaning: 'channels.yaml is not readable YAML, nests too deep, or uses anchors or aliases.',
    remedy: 'Nothing was deployed. Correct the file at the named line and column.',
  },
  'SUTRA.CHANNELS.KEY_UNKNOWN': {
    ...refused,
    meaning: 'channels.yaml has a key that does not exist.',
    remedy: 'Use the nearest known key that the finding names, or remove it.',
  },
  'SUTRA.CHANNELS.KEY_MISSING': {
    ...refused,
    meaning: 'A channel lacks a key that it needs.',
    remedy: 'Add the named key.',
  },
  'SUTRA.CHANNELS.KEY_NOT_APPLICABLE': {
    ...refused,
    meaning: 'A channel has a key that means nothing on its transport or direction.',
    remedy: 'Remove the key, or change the transport.',
  },
  'SUTRA.CHANNELS.KEY_NOT_EXECUTED': {
    ...refused,
    meaning: 'A channel has a key that this version knows and does not act on.',
    remedy: 'Remove the key; the limit it stands for is not enforced.',
  },
  'SUTRA.CHANNELS.VALUE_INVALID': {
    ...refused,
    meaning: 'A value in channels.yaml has the wrong type or is out of its range.',
    remedy: 'Write a value as the finding describes it.',
  },
  'SUTRA.CHANNELS.CEILING_EXCEEDED': {
    ...refused,
    meaning: "A channel's task policy asks for more than the operator's ceiling allows.",
    remedy: 'Lower the value, or have the operator raise the ceiling sutra.external-task.max-*.',
  },
  'SUTRA.CHANNELS.NAME_INVALID': {
    ...refused,
    meaning: 'A channel name is blank, longer than 255 characters, or holds control characters.',
    remedy: 'Choose another name.',
  },
  'SUTRA.CHANNELS.NAME_DUPLICATE': {
    ...refused,
    meaning: 'Two channels of the package have the same name.',
    remedy: 'Rename or remove one of them.',
  },
  'SUTRA.CHANNELS.TRANSPORT_UNKNOWN': {
    ...refused,
    meaning: 'A channel names a transport that does not exist.',
    remedy: 'Use http, pull or local.',
  },
  'SUTRA.CHANNELS.TRANSPORT_NOT_BUILT_IN': {
    ...refused,
    meaning: 'A channel names a transport that this build of the engine does not contain.',
    remedy: 'Use http, pull or local, or a build that contains the transport.',
  },
  'SUTRA.CHANNELS.DIRECTION_INVALID': {
    ...refused,
    meaning: "A channel's direction does not fit its transport or its bind.",
    remedy: 'Leave the direction out, or write the one that the finding names.',
  },
  'SUTRA.CHANNELS.BIND_INVALID': {
    ...refused,
    meaning: "A channel's bind is not one that its transport can use.",
    remedy: 'Leave the bind out to have it derived, or write it as the finding describes.',
  },
  'SUTRA.CHANNELS.BIND_DUPLICATE': {
    ...refused,
    meaning: 'Two channels take messages in at the same address.',
    remedy: 'Give one of them another path.',
  },
  'SUTRA.CHANNELS.CODEC_UNKNOWN': {
    ...refused,
    meaning: 'A channel names a codec that does not exist.',
    remedy: 'Use json, yaml, text, bytes, or urn: and the name of a folder under schemas/.',
  },
  'SUTRA.CHANNELS.CODEC_NOT_BUILT_IN': {
    ...refused,
    meaning: 'A channel names a codec that this build of the engine does not contain.',
    remedy: 'Use json, yaml, text or bytes.',
  },
  'SUTRA.CHANNELS.DEDUP_KEY_INVALID': {
    ...refused,
    meaning: 'A dedup-key reads something other than the message.',
    remedy: 'Use only header, payload and event in the expression.',
  },
  'SUTRA.CHANNELS.SECRET_LITERAL': {
    ...refused,
    meaning: 'A secret is written into channels.yaml.',
    remedy: 'Write env:NAME or secret:NAME, and treat the written secret as disclosed: replace it.',
  },
} as const satisfies CodeTable;
