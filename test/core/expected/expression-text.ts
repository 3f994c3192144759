/**
 * The expressions of the corpus's source engines as FEEL: the subset that the files of the scenarios use.
 * A text outside of it is an error, so that no condition is guessed at.
 */

const WHOLE = /^\s*[$#]\{([^}]*)\}\s*$/;
const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<text>'[^']*'|"[^"]*")|execution\.getVariable\(\s*'(?<variable>\w+)'\s*\)|(?<name>[A-Za-z_]\w*)|(?<operator>==|!=|<=|>=|&&|\|\||[<>!+\-*/()]))/y;

const OPERATORS: Readonly<Record<string, string>> = { '==': '=', '&&': 'and', '||': 'or' };

/** What a loop's instances can name there, and what that is here. There the counter begins at 0. */
const LOOP_NAMES: Readonly<Record<string, string>> = {
  nrOfInstances: 'numberOfInstances',
  nrOfActiveInstances: 'numberOfActiveInstances',
  nrOfCompletedInstances: 'numberOfCompletedInstances',
  loopCounter: '(loopCounter - 1)',
};

interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'operator';
  readonly text: string;
}

/** The FEEL of `${…}` or `#{…}`; any other text (a number, a duration) is as it was. */
export function toFeel(text: string): string {
  const body = WHOLE.exec(text)?.[1];
  return body === undefined ? text.trim() : translate(tokensOf(body)).join(' ');
}

/** A text with expressions in it, as `kermit_${loopCounter}`, as one FEEL expression. */
export function templateToFeel(text: string): string {
  const parts = text.split(/([$#]\{[^}]*\})/).filter((part) => part !== '');
  return parts
    .map((part) => (WHOLE.test(part) ? `string(${toFeel(part)})` : JSON.stringify(part)))
    .join(' + ');
}

function tokensOf(body: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const text = body.trimEnd();
  while (TOKEN.lastIndex < text.length) {
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) throw new Error(`not in the subset that is translated: ${body}`);
    const { number, text: quoted, variable, name, operator } = groups;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: JSON.stringify(quoted.slice(1, -1)) });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
    else tokens.push({ kind: 'name', text: variable ?? name ?? '' });
  }
  return tokens;
}

function translate(tokens: readonly Token[]): readonly string[] {
  const [token, ...rest] = tokens;
  if (token === undefined) return [];
  const [second, third] = rest;
  if (token.text === '!' || token.text === 'not') {
    if (second?.kind !== 'name') throw new Error('only a name is negated in the subset that is translated');
    return [`not(${nameOf(second)})`, ...translate(rest.slice(1))];
  }
  // There the comparison with a text turns a boolean into one.
  if (
    token.kind === 'name' &&
    second?.text === '==' &&
    (third?.text === '"true"' || third?.text === '"false"')
  ) {
    return [`string(${nameOf(token)}) = ${third.text}`, ...translate(rest.slice(2))];
  }
  return [token.kind === 'name' ? nameOf(token) : (OPERATORS[token.text] ?? token.text), ...translate(rest)];
}

function nameOf({ text }: Token): string {
  return LOOP_NAMES[text] ?? text;
}
