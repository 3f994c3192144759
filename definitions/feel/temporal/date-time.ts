/** Between local times and the instants that they are, by the rules of their zones. */
import { isInRange } from './calendar.ts';
import {
  NANOS_PER_DAY,
  NANOS_PER_SECOND,
  offsetZone,
  SECONDS_PER_DAY,
  type DateTimeFields,
  type TimeFields,
  type Zone,
} from './shapes.ts';
import { offsetAtInstant, offsetAtLocal } from './zones.ts';

/** A point on a line of days: of UTC, or of the local time of no known place. */
export interface Point {
  /** Day number. */
  readonly day: number;
  /** Since midnight. */
  readonly nanos: number;
}

/** The point `nanos` after midnight of a day; they may be negative, or more than a day has. */
export function pointAt(day: number, nanos: number): Point {
  const days = Math.floor(nanos / NANOS_PER_DAY);
  return { day: day + days, nanos: nanos - days * NANOS_PER_DAY };
}

/**
 * The date and time that a calendar and a clock in the zone show. A time that the clock leaves out is taken to be later
 * by as much; of one that it shows twice, the first is meant. Null: outside of FEEL's years.
 */
export function dateTimeAtLocal({ day, nanos }: Point, zone: Zone | null): DateTimeFields | null {
  if (zone?.kind !== 'iana') return isInRange(day) ? fields({ day, nanos }, zone, zone?.seconds ?? 0) : null;
  const offset = offsetAtLocal(zone.id, day, secondsOf(nanos));
  return atInstant(pointAt(day, nanos - offset * NANOS_PER_SECOND), zone);
}

/**
 * The date and time in the zone at an instant of UTC. Where the zone's clock shows a time for the second time, its
 * name would mean the first: then the result has the offset instead. Null: outside of FEEL's years.
 */
export function dateTimeAtInstant(instant: Point, zone: Zone): DateTimeFields | null {
  const dateTime = atInstant(instant, zone);
  if (dateTime === null || zone.kind !== 'iana') return dateTime;
  const { day, nanos, offsetSeconds } = dateTime;
  if (offsetAtLocal(zone.id, day, secondsOf(nanos)) === offsetSeconds) return dateTime;
  const offset = offsetZone(offsetSeconds);
  return offset === null ? null : fields(dateTime, offset, offsetSeconds);
}

function atInstant(instant: Point, zone: Zone): DateTimeFields | null {
  const offset =
    zone.kind === 'offset' ? zone.seconds : offsetAtInstant(zone.id, instant.day, secondsOf(instant.nanos));
  const local = pointAt(instant.day, instant.nanos + offset * NANOS_PER_SECOND);
  return isInRange(local.day) ? fields(local, zone, offset) : null;
}

function fields({ day, nanos }: Point, zone: Zone | null, offsetSeconds: number): DateTimeFields {
  return { kind: 'date-time', day, nanos, zone, offsetSeconds };
}

/** The instant of UTC; of a local date and time, the point on its own line. */
export function pointOf({ day, nanos, offsetSeconds }: DateTimeFields): Point {
  return offsetSeconds === 0 ? { day, nanos } : pointAt(day, nanos - offsetSeconds * NANOS_PER_SECOND);
}

/** The offset of a time: by its zone's rules it depends on the day, which is that of `nowMs`. Null: it is local. */
export function timeOffset({ zone }: TimeFields, nowMs: number): number | null {
  if (zone === null) return null;
  if (zone.kind === 'offset') return zone.seconds;
  const nowSeconds = Math.floor(nowMs / 1_000);
  const day = Math.floor(nowSeconds / SECONDS_PER_DAY);
  return offsetAtInstant(zone.id, day, nowSeconds - day * SECONDS_PER_DAY);
}

function secondsOf(nanos: number): number {
  return Math.floor(nanos / NANOS_PER_SECOND);
}
