/** Muscles of the selected body on the timeline: the primary chart of each, unrolled over time. */
import type { Session } from '../client/session.svelte';
import { chartOf, curveValue, numberAt } from '../document/channel';
import { entryPath, isTable, list, nameOf } from '../document/scene';
import type { Studio } from '../workspace/studio.svelte';
import type { DopeRow } from '../workspace/tracks';

export function muscleRows(session: Session, studio: Studio): DopeRow[] {
  const scene = session.document?.scene;
  const info = session.scene;
  const body = studio.bodyPath;
  if (!body || !info) return [];
  const fps = info.fps[0] / info.fps[1];
  const directors = list(scene, `${body}.director`);
  return directors.flatMap((director, i): DopeRow[] => {
    const chart = isTable(director) && director.kind === 'muscle' && !isTable(director.respond) ? chartOf(director.primary) : null;
    if (!chart || !isTable(director)) return [];
    const phaseAt = unrolled(director.period, info.first_frame, info.last_frame, fps);
    const rate = (at: number): number => curveValue(chart, phaseAt(at));
    const path = entryPath(`${body}.director`, directors, i);
    return [{
      id: `muscle:${path}`, icon: 'muscle', name: nameOf(director) ?? 'Muscle', value: `×${rate(session.frame).toFixed(2)}`, level: 0, path,
      track: { kind: 'plot', colour: '--contract', fromZero: false, whole: true, at: (at) => 1 / Math.max(0.05, rate(at)) },
    }];
  });
}

/** The cycle's phase at a frame: a period that changes runs the cycle faster or slower and never jumps. */
function unrolled(period: unknown, first: number, last: number, fps: number): (at: number) => number {
  const phases = new Map<number, number>();
  let phase = 0;
  for (let at = first; at <= last; at++) {
    phases.set(at, phase);
    phase += 1 / (fps * Math.max(1e-3, numberAt(period, at + 0.5) ?? 1));
  }
  return (at) => phases.get(at) ?? 0;
}
