/** What the text of a source may not contain: the world in the pure core, the environment elsewhere. */
import ts from 'typescript';
import { visitNodes } from './source-files.ts';
import type { Sources } from './source-files.ts';

/** Global names by which a file would reach a clock, chance, the outside or a queue. */
const WORLD_NAMES = new Set([
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'queueMicrotask'],
  ...['fetch', 'console', 'performance', 'crypto', 'globalThis', 'process', 'require'],
]);
const WORLD_MEMBERS = new Set(['Date.now', 'Math.random', 'Intl.DateTimeFormat']);
/** What only the operating system's process has; a process definition has none of these. */
const OS_PROCESS_MEMBERS = new Set([
  ...['env', 'argv', 'exit', 'hrtime', 'nextTick', 'cwd', 'pid', 'uptime', 'memoryUsage', 'cpuUsage'],
  ...['stdout', 'stderr', 'stdin', 'on', 'once', 'kill', 'platform', 'emitWarning'],
]);

/** One sentence for each use of the world in `engine/core`, which is a pure function. */
export function findImpurities(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    path.startsWith('engine/core/') ? impuritiesOf(path, text) : [],
  );
}

function impuritiesOf(path: string, text: string): string[] {
  const faults: string[] = [];
  const declared = new Set<string>();
  visitNodes(path, text, (node) => {
    if (isDeclaration(node) && node.name !== undefined && ts.isIdentifier(node.name)) {
      declared.add(node.name.text);
    }
  });
  visitNodes(path, text, (node, line) => {
    const name = impurityOf(node, declared);
    if (name !== null) {
      faults.push(`${path}:${line} uses ${name}`);
    }
  });
  return faults;
}

function impurityOf(node: ts.Node, declared: ReadonlySet<string>): string | null {
  if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) {
    return 'await';
  }
  if (node.kind === ts.SyntaxKind.AsyncKeyword) {
    return 'async';
  }
  if (ts.isIdentifier(node) && node.text === 'Date' && ts.isNewExpression(node.parent)) {
    return (node.parent.arguments ?? []).length === 0 ? 'new Date() without arguments' : null;
  }
  if (ts.isIdentifier(node) && node.text === 'Date' && ts.isCallExpression(node.parent)) {
    return node.parent.expression === node ? 'Date()' : null;
  }
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const member = `${node.expression.text}.${node.name.text}`;
    const isOsProcess = node.expression.text === 'process' && OS_PROCESS_MEMBERS.has(node.name.text);
    return WORLD_MEMBERS.has(member) || isOsProcess ? member : null;
  }
  return ts.isIdentifier(node) && isGlobalUse(node, declared) ? node.text : null;
}

/** A name that is not declared in the file, and not the name of a property or a type's field. */
function isGlobalUse(node: ts.Identifier, declared: ReadonlySet<string>): boolean {
  if (!WORLD_NAMES.has(node.text) || declared.has(node.text)) {
    return false;
  }
  const { parent } = node;
  const isMemberName =
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node) ||
    (ts.isPropertySignature(parent) && parent.name === node);
  return !isMemberName;
}

type NamedDeclaration =
  | ts.VariableDeclaration
  | ts.ParameterDeclaration
  | ts.BindingElement
  | ts.FunctionDeclaration
  | ts.ImportSpecifier;

function isDeclaration(node: ts.Node): node is NamedDeclaration {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isImportSpecifier(node)
  );
}

/** Programs and pages about the product, not the product: they may read the environment. */
const ENVIRONMENT_READERS = /^(?:config\/load\.ts$|test\/|bench\/|examples\/|docs\/)/;

/** One sentence for each read of the process's environment outside the one module that may. */
export function findEnvironmentReads(sources: Sources): string[] {
  const faults: string[] = [];
  for (const [path, text] of sources) {
    if (!ENVIRONMENT_READERS.test(path) && text.includes('env')) {
      visitNodes(path, text, (node, line) => {
        const isMember = ts.isPropertyAccessExpression(node) && node.name.text === 'env';
        if (isMember && /(?:^|\.)process$/.test(node.expression.getText())) {
          faults.push(`${path}:${line} reads process.env`);
        }
        if (ts.isBindingElement(node) && (node.propertyName ?? node.name).getText() === 'env') {
          const declaration = node.parent.parent;
          if (ts.isVariableDeclaration(declaration) && declaration.initializer?.getText() === 'process') {
            faults.push(`${path}:${line} reads process.env`);
          }
        }
        if (ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'env') {
          faults.push(`${path}:${line} imports env`);
        }
      });
    }
  }
  return faults;
}

/** One sentence for each file whose name says nothing of what it holds. */
export function findEmptyNames(sources: Sources): string[] {
  return [...sources.keys()].flatMap((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (/^(?:utils?|helpers?|commons?|types?|lib|main|misc|shared)(?:\.|$)/.test(name)) {
      return [`${path} has a name that says nothing`];
    }
    return /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test|\.d)?\.ts$/.test(name)
      ? []
      : [`${path} is not named in kebab-case`];
  });
}
