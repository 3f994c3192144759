/**
 * The offsets of IANA time zones, from the runtime's own zone data (`Intl`).
 *
 * Z1 At most `MAX_CLOCKS` formatters are kept, those used last: one takes 0.3 ms to make and 15 KB to keep.
 * Z2 Years that `Date` does not hold have the offsets of years that it holds: before 1800 all zones are at
 *    their local mean time, and from 2800 on the rules repeat with the calendar's cycle of 400 years.
 *
 * An offset is in seconds, positive east of Greenwich. A moment is given as a day number and a second of that day.
 */
import { DAYS_PER_CYCLE, dayNumber, floorModulo, weekday } from './calendar.ts';
import { RecentMemo } from './recent-memo.ts';
import { SECONDS_PER_DAY } from './shapes.ts';

const MS_PER_SECOND = 1_000;
const MAX_CLOCKS = 100;
/** The longest IANA name has 32 characters. */
const ZONE_ID = /^(?=.{1,64}$)[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

const FIRST_KNOWN_DAY = dayNumber(1800, 1, 1);
const FIRST_REPEATED_DAY = dayNumber(2800, 1, 1);

const weekdays: readonly string[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const CLOCK_TEXT = /^([A-Z][a-z]{2})\W+(\d\d):(\d\d):(\d\d)$/;

/** What each zone's clocks show. */
const clocks = new RecentMemo<Intl.DateTimeFormat>(MAX_CLOCKS);

function clockOf(zoneId: string): Intl.DateTimeFormat | null {
  const known = clocks.get(zoneId);
  if (known !== undefined) return known;
  const clock = ZONE_ID.test(zoneId) ? newClock(zoneId) : null;
  if (clock !== null) clocks.set(zoneId, clock);
  return clock;
}

function newClock(zoneId: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zoneId,
      hourCycle: 'h23',
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch (error) {
    // The only way to learn that a zone is not known.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Whether the runtime knows a zone by that name. Letters match in either case, as IANA recommends. */
export function isKnownZone(zoneId: string): boolean {
  return clockOf(zoneId) !== null;
}

/** What is added to UTC to get the local time of a known zone. The moment is of UTC. */
export function offsetAtInstant(zoneId: string, utcDay: number, utcSecond: number): number {
  const clock = clockOf(zoneId);
  if (clock === null) throw new Error(`the time zone ${zoneId} is not known`);
  const day = dayWithSameOffset(utcDay);
  const text = clock.format((day * SECONDS_PER_DAY + utcSecond) * MS_PER_SECOND);
  const [, name = '', hour, minute, second] = CLOCK_TEXT.exec(text) ?? [];
  const localWeekday = weekdays.indexOf(name) + 1;
  if (localWeekday === 0) throw new Error(`a clock reads ${text}, which is not the expected form`);
  // The local day is the day before, the same or the day after: -1, 0 or 1.
  const dayDifference = floorModulo(localWeekday - weekday(day) + 1, 7) - 1;
  const localSecond = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  return dayDifference * SECONDS_PER_DAY + localSecond - utcSecond;
}

function dayWithSameOffset(day: number): number {
  if (day < FIRST_KNOWN_DAY) return FIRST_KNOWN_DAY;
  if (day < FIRST_REPEATED_DAY) return day;
  const cycles = Math.floor((day - FIRST_REPEATED_DAY) / DAYS_PER_CYCLE) + 1;
  return day - cycles * DAYS_PER_CYCLE;
}

/**
 * What is subtracted from a local time of a known zone to get UTC. Of two (the clock was put back) it is the
 * earlier one's; where there is none (it was put forward), it is the one from before, so that the result is
 * later by what the clock has left out. `java.time` does the same.
 */
export function offsetAtLocal(zoneId: string, localDay: number, localSecond: number): number {
  const before = offsetAtInstant(zoneId, localDay - 1, localSecond);
  const after = offsetAtInstant(zoneId, localDay + 1, localSecond);
  if (before === after) return before;
  if (offsetAtShifted(zoneId, localDay, localSecond - before) === before) return before;
  return offsetAtShifted(zoneId, localDay, localSecond - after) === after ? after : before;
}

function offsetAtShifted(zoneId: string, day: number, second: number): number {
  const days = Math.floor(second / SECONDS_PER_DAY);
  return offsetAtInstant(zoneId, day + days, second - days * SECONDS_PER_DAY);
}
