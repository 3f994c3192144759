/** Writes expressions of a decision model on one line, so that tables can be read. */
import type {
  BoxedExpression,
  DecisionTable,
  SourceText,
  TypeReference,
} from '../../../definitions/dmn/model.ts';

/** `context(a: string = 1, = x)`; a missing expression is `_`. The type of an expression follows it, after `:`. */
export function outlineOf(expression: BoxedExpression | null): string {
  return expression === null ? '_' : `${outlineOfBox(expression)}${typed(expression.type)}`;
}

function outlineOfBox(expression: BoxedExpression): string {
  switch (expression.kind) {
    case 'literal':
      return expression.source.text;
    case 'invocation': {
      const bindings = expression.bindings.map((binding) => entry(binding.parameter, binding.value));
      return `invocation(${[outlineOf(expression.callee), ...bindings].join(', ')})`;
    }
    case 'context': {
      const entries = expression.entries.map(({ variable, value }) => entry(variable, value));
      const result = expression.result === null ? [] : [`= ${outlineOf(expression.result)}`];
      return `context(${[...entries, ...result].join(', ')})`;
    }
    case 'list':
      return `list(${expression.items.map(outlineOf).join(', ')})`;
    case 'relation': {
      const columns = expression.columns.map(({ name, type }) => `${name}${typed(type)}`).join(', ');
      const rows = expression.rows.map((row) => row.map(outlineOf).join(', '));
      return `relation(${[columns, ...rows].join('; ')})`;
    }
    case 'function': {
      const parameters = expression.parameters.map(({ name, type }) => `${name}${typed(type)}`);
      return `function(${parameters.join(', ')}) ${outlineOf(expression.body)}`;
    }
    case 'conditional': {
      const { condition, consequent, alternative } = expression;
      return `if(${[condition, consequent, alternative].map(outlineOf).join(', ')})`;
    }
    case 'filter':
      return `filter(${outlineOf(expression.source)}, ${outlineOf(expression.condition)})`;
    case 'decision-table':
      return outlineOfTable(expression);
    default: {
      const { kind, variable, domain, body } = expression;
      return `${kind}(${variable.name} in ${outlineOf(domain)}, ${outlineOf(body)})`;
    }
  }
}

/** `UNIQUE(x: number [1..9] | r: string ["a"] = "b" | 1 -> "a")`: inputs, outputs, rules; a blank cell is `_`. */
function outlineOfTable({ hitPolicy, aggregation, inputs, outputs, rules }: DecisionTable): string {
  const ins = inputs.map(
    ({ source, type, allowedValues }) => `${source.text}${typed(type)}${allowed(allowedValues)}`,
  );
  const outs = outputs.map(
    ({ name, type, allowedValues, defaultValue }) =>
      `${name ?? '_'}${typed(type)}${allowed(allowedValues)}${defaultValue === null ? '' : ` = ${defaultValue.text}`}`,
  );
  const lines = rules.map((rule) => `${cells(rule.inputs)} -> ${cells(rule.outputs)}`);
  const policy = aggregation === null ? hitPolicy : `${hitPolicy} ${aggregation}`;
  return `${policy}(${[ins.join(', '), outs.join(', '), ...lines].join(' | ')})`;
}

function cells(sources: readonly (SourceText | null)[]): string {
  return sources.map((source) => source?.text ?? '_').join(', ');
}

function allowed(source: SourceText | null): string {
  return source === null ? '' : ` [${source.text}]`;
}

function entry(
  { name, type }: { readonly name: string; readonly type: TypeReference | null },
  value: BoxedExpression | null,
): string {
  return `${name}${typed(type)} = ${outlineOf(value)}`;
}

function typed(type: TypeReference | null): string {
  return type === null ? '' : `: ${type.text}`;
}
