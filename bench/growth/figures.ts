/** Figures of several rounds, and the lines that tell them. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Nearest rank. @param share from 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Median and spread. */
export function spread(values: readonly number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}..${most.toFixed(digits)})`;
}

export function ratio(left: readonly number[], right: readonly number[]): number {
  return median(left) / median(right);
}

export function say(part: string, ...columns: readonly string[]): void {
  process.stdout.write(`${part.padEnd(9)} ${columns.join('   ')}\n`);
}
