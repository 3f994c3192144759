/** How often a test kills the engine: `usual`, or as often as SUTRA_TEST_KILLS says, for a run that is to be long. */
export function killCount(usual: number): number {
  const wanted = Number(process.env['SUTRA_TEST_KILLS'] ?? 0);
  return Number.isInteger(wanted) && wanted > 0 ? wanted : usual;
}
