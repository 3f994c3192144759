/**
 * YAML text to the library's document, with hostile input bounded before anything recurses.
 *
 * Y1 Depth is measured on the library's own token parser, which keeps its stack on the heap, and reading
 *    stops at the bound. Composing recurses: 100,000 open brackets may throw there, or end the whole
 *    process (the pattern compiler runs out of memory near the stack's end).
 * Y2 Aliases, anchors and merge keys are refused: they are how a small file becomes a large one. `<<` is
 *    a key like any other, which the typed reader then does not know.
 * Y3 One document a file; the library's warnings (unknown tags) count as faults.
 */
import { CST, Composer, Lexer, LineCounter, Parser, isAlias, isNode, visit } from 'yaml';
import type { Document, ParsedNode, YAMLError } from 'yaml';

export interface YamlFault {
  readonly kind: 'syntax' | 'too-deep' | 'alias';
  readonly message: string;
  /** From the beginning of the text. */
  readonly offset: number;
}

export interface YamlText {
  /** Null when there is a fault that leaves no document to read. */
  readonly root: ParsedNode | null;
  readonly faults: readonly YamlFault[];
  /** Offsets to lines and columns, both from 1. */
  readonly lines: LineCounter;
}

export interface YamlLimits {
  readonly maxDepth: number;
}

/** One broken line can cause thousands of faults; nobody reads more than these. */
const MAX_FAULTS = 20;

/** Composes `text`, one document. An empty text has no root and no fault. */
export function composeYaml(text: string, limits: YamlLimits): YamlText {
  const lines = new LineCounter();
  // The library's own `parse` begins so.
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (depthOf(parser) > limits.maxDepth) {
      const message = `it nests deeper than ${limits.maxDepth} levels`;
      return {
        root: null,
        faults: [{ kind: 'too-deep', message, offset: parser.offset - lexeme.length }],
        lines,
      };
    }
  }
  for (const token of parser.end()) tokens.push(token);
  const composer = new Composer({ uniqueKeys: true, merge: false, prettyErrors: false, logLevel: 'silent' });
  const documents = [...composer.compose(tokens, true, text.length)];
  const [document, second] = documents;
  const faults = documents.flatMap(documentFaults);
  if (second !== undefined) {
    faults.push({ kind: 'syntax', message: 'it holds more than one document', offset: second.range[0] });
  }
  return { root: document?.contents ?? null, faults, lines };
}

/** Collections around the parser's position: its stack less the document, and less a scalar being read. */
function depthOf(parser: Parser): number {
  const top = parser.stack.at(-1);
  return parser.stack.length - (top !== undefined && CST.isCollection(top) ? 1 : 2);
}

function documentFaults(document: Document.Parsed): YamlFault[] {
  const faults: YamlFault[] = ([...document.errors, ...document.warnings] as YAMLError[]).map((error) => ({
    kind: 'syntax',
    message: messageOf(error),
    offset: error.pos[0],
  }));
  if (faults.length > 0) return faults.slice(0, MAX_FAULTS);
  visit(document, (_key, node) => {
    if (!isNode(node)) return;
    const offset = node.range?.[0] ?? 0;
    if (isAlias(node)) {
      faults.push({ kind: 'alias', message: 'aliases are not allowed; write the value itself', offset });
    } else if (node.anchor !== undefined) {
      faults.push({ kind: 'alias', message: 'anchors are not allowed', offset });
    }
  });
  return faults.slice(0, MAX_FAULTS);
}

/** The library's sentence without the text it quotes: it may be a secret. */
function messageOf(error: YAMLError): string {
  if (error.code === 'DUPLICATE_KEY') return 'a key occurs twice in this mapping';
  return (error.message.split(/[:\n]/)[0] ?? error.message).slice(0, 120);
}
