/** How much of the machine a test has. Bounds in milliseconds hold for a machine of one's own. */

/**
 * How many times longer than alone something takes just now: the time that 200 ms of work take on the clock, at least 1. A processor that is
 * shared with other programs does the work of a page in turns with theirs.
 */
export function slowdown(): number {
  const WORK_MICROSECONDS = 200_000;
  const [began, before] = [process.hrtime.bigint(), process.cpuUsage()];
  for (let spent = 0; spent < WORK_MICROSECONDS; ) {
    const { user, system } = process.cpuUsage(before);
    spent = user + system;
  }
  return Math.max(1, Number(process.hrtime.bigint() - began) / 1000 / WORK_MICROSECONDS);
}
