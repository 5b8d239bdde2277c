/** Runs that are kept under names. */
import type { Session } from './session.svelte';

/** The next of `take-1`, `take-2`, … that is free. */
export function nextTake(taken: readonly string[]): string {
  for (let count = 1; ; count++) if (!taken.includes(`take-${count}`)) return `take-${count}`;
}

export function keepTake(session: Session): void {
  session.keepTake(nextTake(session.takes.names.map(({ name }) => name)));
}

/** Recording begins at the first frame; when it is stopped the run is a take. */
export function toggleRecording(session: Session): void {
  const recording = session.transport?.recording ?? false;
  session.record(!recording);
  if (recording) keepTake(session);
}
