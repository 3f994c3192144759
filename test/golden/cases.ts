/**
 * The models of the golden files, and what happens to their instances: something of every feature.
 *
 * A model whose snapshots have been released is never changed: a deployed package is not changed either.
 * What is to be covered beyond it gets a case of its own.
 */
import { activityCases } from './activity-cases.ts';
import { eventCases } from './event-cases.ts';
import { flowCases } from './flow-cases.ts';
import type { GoldenCase } from './golden-case.ts';

export const cases: Readonly<Record<string, GoldenCase>> = { ...flowCases, ...eventCases, ...activityCases };
