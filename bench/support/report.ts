/** The figures of one bench: a line each as they come, with the target beside them, and all of them as JSON in the end. */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { root } from '../engine-process.ts';

/** Inclusive. */
export type Target = { readonly atMost: number } | { readonly atLeast: number } | { readonly below: number };

export interface FigureOptions {
  readonly unit?: string;
  readonly digits?: number;
  readonly target?: Target;
  /** More, behind the target. */
  readonly note?: string;
  /** What it was made of, for the JSON. */
  readonly raw?: unknown;
}

const NAME_WIDTH = 74;

export class Report {
  readonly #bench: string;
  readonly #options: unknown;
  readonly #figures: Record<string, unknown>[] = [];

  /** `bench`: the first part of the file's name. `options`: as they were given, sizes included. */
  constructor(bench: string, options: unknown) {
    this.#bench = bench;
    this.#options = options;
  }

  figure(name: string, value: number, options: FigureOptions = {}): void {
    const { unit = '', digits = 2, target, note, raw } = options;
    const isMet = target === undefined ? undefined : meets(value, target);
    this.#figures.push({ name, value, unit, target, isMet, note, raw });
    const shown = `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${unit}`.trim();
    const judged =
      target === undefined ? '' : `target ${textOf(target)}: ${isMet === true ? 'met' : 'MISSED'}`;
    const line = [name.padEnd(NAME_WIDTH), shown.padEnd(14), judged, note ?? ''].filter(
      (part) => part !== '',
    );
    process.stdout.write(`${line.join('  ').trimEnd()}\n`);
  }

  /** What is said and not counted. */
  say(text: string): void {
    this.#figures.push({ said: text });
    process.stdout.write(`${text}\n`);
  }

  async write(): Promise<void> {
    const folder = join(root, 'bench/results');
    await mkdir(folder, { recursive: true });
    const time = new Date().toISOString().replaceAll(':', '-');
    const file = join(folder, `${this.#bench}-${time}.json`);
    const surroundings = { cores: cpus().length, loadAverage: loadavg(), node: process.version };
    const content = { ...surroundings, options: this.#options, figures: this.#figures };
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
    process.stdout.write(`\nwritten to ${file}\n`);
  }
}

function meets(value: number, target: Target): boolean {
  if ('atMost' in target) return value <= target.atMost;
  if ('atLeast' in target) return value >= target.atLeast;
  return value < target.below;
}

function textOf(target: Target): string {
  if ('atMost' in target) return `<= ${target.atMost}`;
  if ('atLeast' in target) return `>= ${target.atLeast}`;
  return `< ${target.below}`;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function spreadOf(values: readonly number[], digits = 2): string {
  return `${Math.min(...values).toFixed(digits)}..${Math.max(...values).toFixed(digits)}`;
}

/** @throws Error when it is no whole number from `least` on */
export function wholeNumber(option: string, text: string, least = 1): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`--${option} ${text} is no whole number of at least ${least}`);
  return value;
}

/** @throws Error that says what to set */
export function requireServer(): string {
  const server = process.env['SUTRA_TEST_DATABASE_URL'];
  if (server === undefined || server === '')
    throw new Error('SUTRA_TEST_DATABASE_URL must name a PostgreSQL server');
  return server;
}
