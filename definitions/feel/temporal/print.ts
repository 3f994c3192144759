/**
 * Fields as canonical text: what FEEL's `string()` gives.
 *
 * Durations are normalised (`P1Y2M`, `P1DT2H`; nothing is `P0M` or `PT0S`), fractions of seconds have no zeros at the end,
 * an offset of nothing is `Z`.
 */
import { civilDate } from './calendar.ts';
import { MONTHS_PER_YEAR, NANOS_PER_DAY, NANOS_PER_SECOND, type Fields, type Zone } from './shapes.ts';

export function textOf(fields: Fields): string {
  switch (fields.kind) {
    case 'date':
      return dateText(fields.day);
    case 'time':
      return timeText(fields.nanos) + zoneText(fields.zone);
    case 'date-time':
      return `${dateText(fields.day)}T${timeText(fields.nanos)}${zoneText(fields.zone)}`;
    case 'days-time-duration':
      return daysTimeText(fields.nanos);
    case 'years-months-duration':
      return yearsMonthsText(fields.months);
  }
}

function dateText(dayNumber: number): string {
  const { year, month, day } = civilDate(dayNumber);
  const sign = year < 0 ? '-' : '';
  return `${sign}${String(Math.abs(year)).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

function timeText(nanos: number): string {
  const second = Math.floor(nanos / NANOS_PER_SECOND);
  const fraction = fractionText(nanos - second * NANOS_PER_SECOND);
  return clockText(second) + fraction;
}

/** hh:mm:ss */
function clockText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutesText(minutes)}:${twoDigits(seconds - minutes * 60)}`;
}

/** hh:mm */
function minutesText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  return `${twoDigits(hours)}:${twoDigits(minutes - hours * 60)}`;
}

function zoneText(zone: Zone | null): string {
  if (zone === null) return '';
  if (zone.kind === 'iana') return `@${zone.id}`;
  if (zone.seconds === 0) return 'Z';
  const seconds = Math.abs(zone.seconds);
  const text = seconds % 60 === 0 ? minutesText(seconds / 60) : clockText(seconds);
  return (zone.seconds < 0 ? '-' : '+') + text;
}

function daysTimeText(nanos: bigint): string {
  if (nanos === 0n) return 'PT0S';
  const size = nanos < 0n ? -nanos : nanos;
  const days = size / BigInt(NANOS_PER_DAY);
  const nanosOfDay = Number(size % BigInt(NANOS_PER_DAY));
  const seconds = Math.floor(nanosOfDay / NANOS_PER_SECOND);
  const fraction = fractionText(nanosOfDay - seconds * NANOS_PER_SECOND);
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) - hours * 60;
  const secondOfMinute = seconds % 60;
  const time =
    (hours === 0 ? '' : `${hours}H`) +
    (minutes === 0 ? '' : `${minutes}M`) +
    (secondOfMinute === 0 && fraction === '' ? '' : `${secondOfMinute}${fraction}S`);
  return `${nanos < 0n ? '-' : ''}P${days === 0n ? '' : `${days}D`}${time === '' ? '' : `T${time}`}`;
}

function yearsMonthsText(months: number): string {
  if (months === 0) return 'P0M';
  const size = Math.abs(months);
  const years = Math.floor(size / MONTHS_PER_YEAR);
  const rest = size % MONTHS_PER_YEAR;
  return `${months < 0 ? '-' : ''}P${years === 0 ? '' : `${years}Y`}${rest === 0 ? '' : `${rest}M`}`;
}

/** With its point: `.5`. */
function fractionText(nanos: number): string {
  return nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
