/** Programs: which names they read, and what they keep of an evaluation: nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileProgram, compileTestProgram } from '../../../definitions/feel/compile/program.ts';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';
import { FeelFunction, type FeelValue, type Signature } from '../../../definitions/feel/runtime.ts';
import { builtins, evaluated, lookupIn, show } from './compile-run.ts';

describe('a program', () => {
  it('names the variables in order of appearance, and which of them are called', () => {
    const rows: readonly (readonly [
      expression: string,
      names: readonly string[],
      called?: readonly string[],
    ])[] = [
      ['1 + 2', []],
      ['b + a.c + b', ['b', 'a']],
      ['count(xs) > count', ['xs', 'count']],
      ['{a: b, c: a}', ['b']],
      ['for x in xs return x + y + partial[-1]', ['xs', 'y']],
      ['some x in xs, y in x satisfies x = y', ['xs']],
      ['function(a, b) a + b + c', ['c']],
      ['xs[item > limit]', ['xs', 'limit']],
      ['a in (1, b, ? > c)', ['a', 'b', 'c']],
      ['f(a) + g.h(b)', ['f', 'a', 'g', 'b'], ['f']],
      ['xs[f(item) = 1 and (function() g())()]', ['xs', 'f', 'g'], ['f', 'g']],
      ['(function(f) f(1))(h)', ['h']],
      ['fs[item(1) = 2]', ['fs']],
      ['? + 1', ['?']],
    ];
    for (const [expression, names, called = []] of rows) {
      const program = compileProgram(parseExpression(expression), { builtins });
      assert.deepEqual(program.names, names, expression);
      assert.deepEqual([...program.calledNames.keys()], called, expression);
    }
  });

  it('of unary tests names all but the input', () => {
    const program = compileTestProgram(parseUnaryTests('> limit, ? = a, [?..b]'), { builtins });
    assert.deepEqual(program.names, ['limit', 'a', 'b']);
  });

  it('may be evaluated while it is evaluated', () => {
    const program = compileProgram(parseExpression('{x: n, y: next, z: x}'), { builtins });
    const evaluate = (n: number): FeelValue =>
      evaluated((run) => program.evaluate(run, (name) => (name === 'n' ? n : n < 3 ? evaluate(n + 1) : null)))
        .value;
    assert.equal(show(evaluate(1)), '{x: 1, y: {x: 2, y: {x: 3, y: null, z: 3}, z: 2}, z: 1}');
  });

  it('gives functions that go on when it is over, with the variables that it was given', () => {
    const maker = compileProgram(parseExpression('function(x) x + n'), { builtins });
    const fn = evaluated((run) => maker.evaluate(run, lookupIn({ n: 10 }))).value;
    const caller = compileProgram(parseExpression('f(n)'), { builtins });
    assert.equal(evaluated((run) => caller.evaluate(run, lookupIn({ f: fn, n: 1 }))).value, 11);
  });

  it('tells a function by which names it is called', () => {
    const asked: (Signature | undefined)[] = [];
    const signatures: readonly Signature[] = [{ names: ['a', 'b'] }, { names: ['a', 'c'] }];
    const invoke = (_args: readonly unknown[], _run: unknown, byNames?: Signature): null => {
      asked.push(byNames);
      return null;
    };
    const own = new Map([['probe', new FeelFunction(signatures, invoke)]]);
    for (const expression of ['probe(1, 2)', 'probe(c: 1, a: 2)', 'probe(b: 1)', 'probe(c: 1)']) {
      const program = compileProgram(parseExpression(expression), { builtins: own });
      evaluated((run) => program.evaluate(run, () => undefined));
    }
    assert.deepEqual(asked, [undefined, signatures[1], signatures[0], signatures[1]]);
  });
});
