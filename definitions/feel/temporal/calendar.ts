/**
 * The proleptic Gregorian calendar as day numbers: day 0 is 1970-01-01, the day before it is -1.
 *
 * FEEL's years reach from -999,999,999 to 999,999,999, far outside of what JavaScript's `Date` holds. A year is
 * the astronomical one: 0 is 1 BC. All numbers here are safe integers.
 */

export const MAX_YEAR = 999_999_999;
/** Days of the calendar's cycle of 400 years, which is a whole number of weeks. */
export const DAYS_PER_CYCLE = 146_097;

/** Day 0 counted from 1 March of the year 0, the first day of a cycle that ends with its leap day. */
const EPOCH_IN_CYCLES = 719_468;
const MONTHS_PER_YEAR = 12;
const DAYS_PER_WEEK = 7;

export interface CivilDate {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
}

/** The day number of a date that exists. */
export function dayNumber(year: number, month: number, day: number): number {
  // A year that begins in March has its leap day at the end.
  const marchYear = month > 2 ? year : year - 1;
  const monthFromMarch = (month + 9) % MONTHS_PER_YEAR;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + daysBeforeMonth(monthFromMarch) + day - 1 - EPOCH_IN_CYCLES;
}

export function civilDate(dayNumber: number): CivilDate {
  const days = dayNumber + EPOCH_IN_CYCLES;
  const cycle = Math.floor(days / DAYS_PER_CYCLE);
  const dayOfCycle = days - cycle * DAYS_PER_CYCLE;
  const leapDays =
    Math.floor(dayOfCycle / 1_460) - Math.floor(dayOfCycle / 36_524) + Math.floor(dayOfCycle / 146_096);
  const yearOfCycle = Math.floor((dayOfCycle - leapDays) / 365);
  const daysBeforeYear = yearOfCycle * 365 + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100);
  const dayOfYear = dayOfCycle - daysBeforeYear;
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = ((monthFromMarch + 2) % MONTHS_PER_YEAR) + 1;
  return {
    year: cycle * 400 + yearOfCycle + (month > 2 ? 0 : 1),
    month,
    day: dayOfYear - daysBeforeMonth(monthFromMarch) + 1,
  };
}

/** From March on, five months have 153 days: 31, 30, 31, 30, 31. */
function daysBeforeMonth(monthFromMarch: number): number {
  return Math.floor((153 * monthFromMarch + 2) / 5);
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Whether such a date exists and FEEL can hold it. Anything that is no integer is no part of a date. */
export function isDate(year: number, month: number, day: number): boolean {
  return (
    Number.isInteger(year) &&
    Math.abs(year) <= MAX_YEAR &&
    Number.isInteger(month) &&
    month >= 1 &&
    month <= MONTHS_PER_YEAR &&
    Number.isInteger(day) &&
    day >= 1 &&
    day <= daysInMonth(year, month)
  );
}

const FIRST_DAY = dayNumber(-MAX_YEAR, 1, 1);
const LAST_DAY = dayNumber(MAX_YEAR, 12, 31);

/** Whether the day is within the years that FEEL can hold. */
export function isInRange(dayNumber: number): boolean {
  return dayNumber >= FIRST_DAY && dayNumber <= LAST_DAY;
}

/** 1 for Monday to 7 for Sunday. */
export function weekday(dayNumber: number): number {
  // Day 0 was a Thursday.
  return floorModulo(dayNumber + 3, DAYS_PER_WEEK) + 1;
}

/** From 1. */
export function dayOfYear(day: number): number {
  return day - dayNumber(civilDate(day).year, 1, 1) + 1;
}

/** The week by ISO 8601, from 1: it belongs to the year that its Thursday is in. */
export function weekOfYear(day: number): number {
  const thursday = day - weekday(day) + 4;
  return Math.floor((dayOfYear(thursday) - 1) / DAYS_PER_WEEK) + 1;
}

/** The same day of a later or earlier month, or that month's last day; null outside of the years. */
export function addMonths(day: number, months: number): number | null {
  const date = civilDate(day);
  const total = date.year * MONTHS_PER_YEAR + date.month - 1 + months;
  const year = Math.floor(total / MONTHS_PER_YEAR);
  if (Math.abs(year) > MAX_YEAR) return null;
  const month = floorModulo(total, MONTHS_PER_YEAR) + 1;
  return dayNumber(year, month, Math.min(date.day, daysInMonth(year, month)));
}

export function floorModulo(dividend: number, divisor: number): number {
  return dividend - Math.floor(dividend / divisor) * divisor;
}
