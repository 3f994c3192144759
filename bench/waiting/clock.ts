/** Milliseconds of the machine's monotonic clock, which all processes of a machine share on Linux. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
