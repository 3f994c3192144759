/**
 * Golden files: what one version wrote of an instance at each of its quiescent points, and how it went on.
 *
 * A file is named for the version that wrote it and for its case (`cases.ts`), and is never changed after that
 * version's release: it stands for the rows of a database that a later version finds.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { parseWithValues, stringifyWithValues } from '../../definitions/value-codec.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { decodePart, decodeSnapshot, encodePart, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import type { Stimulus } from '../../engine/core/stimulus.ts';
import { Instance } from '../core/instance.ts';
import { cases } from './cases.ts';
import type { GoldenCase } from './golden-case.ts';
import { takeStep, type Step } from './steps.ts';

const GOLDEN_DIR = fileURLToPath(new URL('.', import.meta.url));
const PACKAGE_FILE = fileURLToPath(new URL('../../package.json', import.meta.url));

/** A quiescent point, and what happened next. */
export interface Point {
  /** As stored: `encodeSnapshot`, and `encodePart` of each part. */
  readonly snapshot: string;
  readonly parts: readonly string[];
  readonly records: readonly (readonly [store: string, key: string, value: Value])[];
  /** By element: the numbers that a later version draws itself may be others. */
  readonly step: Step;
  readonly stimulus: Stimulus;
  readonly nowMs: number;
  /** The elements that were active then. */
  readonly active: readonly string[];
}

export interface GoldenFile {
  readonly case: string;
  readonly version: string;
  readonly points: readonly Point[];
  readonly end: { readonly status: Snapshot['status']; readonly variables: Context };
}

export function currentVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { readonly version: string }).version;
}

export function readGoldenFiles(): readonly GoldenFile[] {
  const names = readdirSync(GOLDEN_DIR).filter((name) => name.endsWith('.json'));
  return names
    .sort()
    .map((name) => parseWithValues(readFileSync(join(GOLDEN_DIR, name), 'utf8')) as GoldenFile);
}

/** Writes the files of the present version; those of other versions stay as they are. */
export async function writeGoldenFiles(): Promise<void> {
  for (const [name, golden] of Object.entries(cases)) {
    const file = goldenFileOf(name, golden);
    const path = join(GOLDEN_DIR, `${file.version}-${name}.json`);
    writeFileSync(
      path,
      await format(stringifyWithValues(file), { ...(await resolveConfig(path)), filepath: path }),
    );
  }
}

function goldenFileOf(name: string, golden: GoldenCase): GoldenFile {
  const instance = new Instance(golden.process, golden.options);
  for (const [store, key, value] of golden.records ?? []) instance.records.set(store, key, value);
  instance.mustAdvance({ ...instance.startStimulus(golden.start), ...golden.startedBy } as Stimulus);
  const points = golden.steps.map((step) => goldenPoint(instance, step));
  const { status, variables } = instance;
  return { case: name, version: currentVersion(), points, end: { status, variables } };
}

function goldenPoint(instance: Instance, step: Step): Point {
  const { snapshot } = instance;
  const { entries: records } = instance.records;
  takeStep(instance, step);
  const stimulus = instance.stimuli.at(-1);
  assert.ok(stimulus, `the step ${JSON.stringify(step)} applied something`);
  const { nowMs, active } = instance;
  const parts = (snapshot.parts ?? []).map((part) => encodePart(part));
  return { snapshot: encodeSnapshot(snapshot), parts, records, step, stimulus, nowMs, active };
}

/** The instance as it was at the point, with what then happened done to it. */
export function instanceAfter(golden: GoldenCase, point: Point): Instance {
  const main = decodeSnapshot(point.snapshot);
  const parts = point.parts.map((text) => decodePart(text));
  const snapshot = parts.length === 0 ? main : { ...main, parts };
  const instance = Instance.at(golden.process, snapshot, golden.options);
  for (const [store, key, value] of point.records) instance.records.set(store, key, value);
  instance.nowMs = point.nowMs;
  return instance.mustAdvance(point.stimulus);
}
