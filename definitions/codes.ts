/** The error codes of `definitions`: what can be wrong with an expression, a payload or a package. */
import type { CodeTable } from '../config/engine-error.ts';

/** What is wrong in a package: the deployment is refused whole, and nothing changes. */
const refused = { httpStatus: 422, retry: 'after-change' } as const;

export const definitionsCodes = {
  'SUTRA.FEEL.SYNTAX_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A FEEL expression cannot be parsed, or calls a function that does not exist.',
    remedy: 'Nothing was deployed. Correct the expression at the named line and column and deploy again.',
  },
  'SUTRA.FEEL.NAME_UNKNOWN': {
    ...refused,
    meaning:
      'A FEEL expression names a variable that is not there: of a message, or of a process in which nothing makes one.',
    remedy:
      'Correct the name, or make the variable before it is used. As a warning it refuses nothing; the name is null.',
  },
  'SUTRA.FEEL.FUNCTION_UNKNOWN': {
    ...refused,
    meaning: 'A FEEL expression calls something that is no function.',
    remedy: 'Use a built-in function; the finding names the nearest one.',
  },
  'SUTRA.FEEL.TYPE_UNKNOWN': {
    ...refused,
    meaning: 'A FEEL expression names a type that does not exist, after `instance of` or for a parameter.',
    remedy: 'Write a type of the standard, as number, string, date or list<number>.',
  },
  'SUTRA.FEEL.PATH_UNKNOWN': {
    ...refused,
    meaning: 'A FEEL expression takes a property of a value that has none of that name.',
    remedy:
      'Correct the property, or declare it in the schema of the channel. As a warning it refuses nothing: the value may have more properties than those that are declared.',
  },
  'SUTRA.FEEL.ARGUMENTS_INVALID': {
    ...refused,
    meaning:
      'A FEEL expression calls a function with another number of arguments, or other names, than it has.',
    remedy: 'Call it with the parameters that the finding names.',
  },
  'SUTRA.FEEL.TYPE_MISMATCH': {
    ...refused,
    meaning:
      'Kinds of values in a FEEL expression can never go together: a number compared with a string, a condition that is no boolean.',
    remedy:
      'Compare and compute values of one kind; read a text with number(), date() or duration(), and write a value with string(). As a warning it refuses nothing: it holds if variables are what they seem.',
  },
  'SUTRA.FEEL.VALUE_INVALID': {
    ...refused,
    meaning:
      'Something that is written in a FEEL expression has no value: a date that does not exist, a pattern that is none, a key that a context has twice.',
    remedy: 'Correct what is written at the named line and column.',
  },
  'SUTRA.FEEL.CONDITION_CONSTANT': {
    ...refused,
    meaning: 'A condition names no variable: it is true for all data, or for none.',
    remedy:
      'Nothing is refused. Compare with a variable; write true or false where the condition is meant to be constant.',
  },
  'SUTRA.FEEL.EVALUATION_FAILED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A FEEL expression failed while it ran, or gave a range or a function instead of a value.',
    remedy:
      'The instance is kept as failed at the named element. Correct the model or the data, then retry it.',
  },
  'SUTRA.CODEC.JSON_INVALID': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'A payload is not one JSON value.',
    remedy: 'Nothing was kept. Correct the JSON at the named position and send it again.',
  },
  'SUTRA.CODEC.KEY_DUPLICATE': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'A JSON object has the same key twice, so that one of the two values would be lost.',
    remedy: 'Nothing was kept. Send each key once.',
  },
  'SUTRA.CODEC.NUMBER_INEXACT': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'A number cannot be kept as it was sent: it has more than 34 digits or is out of range.',
    remedy: 'Nothing was kept. Send longer numbers as strings.',
  },
  'SUTRA.CODEC.TEXT_INVALID': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'A payload is not UTF-8, or holds a NUL character or half of a surrogate pair.',
    remedy: 'Nothing was kept. Send well-formed text without NUL; send binary data as base64.',
  },
  'SUTRA.CODEC.TOO_DEEP': {
    httpStatus: 400,
    retry: 'never',
    meaning: 'A value is nested deeper than the limit.',
    remedy: 'Nothing was kept. Flatten the value, or stop the loop in the model that nests it.',
  },
  'SUTRA.PACKAGE.YAML_INVALID': {
    ...refused,
    meaning: 'package.yaml is not readable YAML, nests too deep, or uses anchors or aliases.',
    remedy: 'Correct the file at the named line and column.',
  },
  'SUTRA.PACKAGE.KEY_UNKNOWN': {
    ...refused,
    meaning: 'package.yaml has a key that does not exist.',
    remedy: 'Use the nearest known key that the finding names, or remove it.',
  },
  'SUTRA.PACKAGE.VALUE_INVALID': {
    ...refused,
    meaning: 'A value in package.yaml has the wrong type.',
    remedy: 'Write a value as the finding describes it; put a version in quotes.',
  },
  'SUTRA.PACKAGE.LABEL_MISSING': {
    ...refused,
    meaning: 'The package does not say its tenant, module and version.',
    remedy: 'Add package.yaml with these labels, or name the folder tenant--module--version.',
  },
  'SUTRA.PACKAGE.LABEL_INVALID': {
    ...refused,
    meaning: 'A label holds characters that an address cannot carry.',
    remedy: 'Use letters, digits, ".", "_" and single "-".',
  },
  'SUTRA.PACKAGE.LABEL_MISMATCH': {
    ...refused,
    meaning: "A warning: the folder's name says otherwise than package.yaml.",
    remedy: 'Rename the folder; package.yaml is what holds.',
  },
  'SUTRA.PACKAGE.PATH_UNSAFE': {
    ...refused,
    meaning: 'A file of the package would lie, or leads, outside of it.',
    remedy: 'Remove the file or link, or rename it.',
  },
  'SUTRA.PACKAGE.PATH_DUPLICATE': {
    ...refused,
    meaning: 'The package holds a path twice.',
    remedy: 'Remove one of the two files.',
  },
  'SUTRA.PACKAGE.FILE_UNUSED': {
    ...refused,
    meaning: 'A warning: nothing reads a file of the package.',
    remedy: 'Move it to where it belongs, or remove it.',
  },
  'SUTRA.PACKAGE.NOT_EXECUTED': {
    ...refused,
    meaning: 'The package holds a kind of file that this build of the engine does not run.',
    remedy: 'Remove the file, or use a build that runs it.',
  },
  'SUTRA.PACKAGE.TOO_LARGE': {
    ...refused,
    meaning: 'The package has too many files, bytes or nested folders.',
    remedy: 'Deploy only what the engine reads: models, channels.yaml and schemas.',
  },
  'SUTRA.PACKAGE.FOLDER_UNREADABLE': {
    ...refused,
    meaning: 'The folder of a package cannot be read.',
    remedy: 'Check that it exists and that the engine may read it.',
  },
  'SUTRA.PACKAGE.ARCHIVE_INVALID': {
    ...refused,
    meaning: 'The archive is no .zip file, is damaged or is empty.',
    remedy: 'Pack the folder again.',
  },
  'SUTRA.PACKAGE.MODEL_MISSING': {
    ...refused,
    meaning: 'The package has no model.',
    remedy: 'Put at least one .bpmn file into bpmn/, or a flow into flows/.',
  },
  'SUTRA.PACKAGE.PROCESS_DUPLICATE': {
    ...refused,
    meaning: 'Two models of the package have a process of the same id.',
    remedy: 'Give one of them another id.',
  },
  'SUTRA.PACKAGE.CHANNEL_UNKNOWN': {
    ...refused,
    meaning: 'A model names a channel that channels.yaml does not declare.',
    remedy: 'Declare the channel, or use the nearest name that the finding shows.',
  },
  'SUTRA.PACKAGE.CHANNEL_DIRECTION': {
    ...refused,
    meaning:
      'A model sends to an inbound channel, takes from an outbound one, or waits for an answer that cannot come.',
    remedy: 'Use another channel, or correct its direction or bind.',
  },
  'SUTRA.PACKAGE.START_AMBIGUOUS': {
    ...refused,
    meaning: 'One message would start a process in two places, or two processes.',
    remedy: 'Tell the starts apart by message type, or declare broadcast: true.',
  },
  'SUTRA.PACKAGE.CALLED_PROCESS_ELSEWHERE': {
    ...refused,
    meaning: 'A warning: a call activity calls a process that the package does not have.',
    remedy: 'Deploy the package that has it to the same tenant, or correct calledElement.',
  },
  'SUTRA.PACKAGE.RETRY_UNUSED': {
    ...refused,
    meaning: 'A call has q:retry, and no attempt of it can fail in a way that is retried.',
    remedy: 'Give the call a q:timeout, or take its q:retry out.',
  },
  'SUTRA.PACKAGE.CHANNEL_ADDED': {
    ...refused,
    meaning:
      'A warning: a model uses a channel by the name of a message, a topic or a job type, and channels.yaml does not declare it.',
    remedy:
      'Leave it, when the channel that the finding names is what is meant, or declare it in channels.yaml.',
  },
  'SUTRA.PACKAGE.SCHEMA_INVALID': {
    ...refused,
    meaning: 'A JSON Schema cannot be read or compiled.',
    remedy: 'Correct the schema (draft 2020-12).',
  },
  'SUTRA.PACKAGE.SCHEMA_UNKNOWN': {
    ...refused,
    meaning: 'A channel names a schema folder that the package does not have.',
    remedy: 'Add schemas/<name>/, or use the nearest name that the finding shows.',
  },
} as const satisfies CodeTable;
