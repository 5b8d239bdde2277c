/** How far the body was from its key, in words. */
import type { Session } from '../client/session.svelte';
import type { ShownKey } from '../client/wire';

/** Per cent of the body's size beyond which a key is told to be missed. */
export const FAR_PERCENT = 1;

/** As it was measured at the key's frame; none where that was not simulated since the last edit. */
export const residualOf = (shown: ShownKey | undefined): number | null => (shown && Number.isFinite(shown.residual) ? shown.residual : null);

export const inPercent = (residual: number | null): string => (residual === null ? '–' : `${residual.toFixed(1)} %`);

export const inGravities = (value: number | null): string => (value === null ? '–' : `${value.toFixed(2)} g`);

/** The largest acceleration about a frame of an edited take that no law of motion gives the body; none where that was not simulated yet. */
export function mostUnbalanced(session: Session, body: number, director: string, frame: number, width: number): number | null {
  const about = session.measured.series(body, director, 'unbalanced').flatMap(([at, value]) => (Math.abs(at - frame) <= width ? [value] : []));
  return about.length > 0 ? Math.max(...about) : null;
}

/** The distance from the rest shape at each frame that was shown, for the timeline. */
export function residualAt(session: Session, body: number, director: string): (frame: number) => number | undefined {
  const known = new Map(session.measured.series(body, director, 'residual'));
  return (frame) => known.get(frame);
}
