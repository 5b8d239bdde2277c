/** Key shapes of the selected body on the timeline: a row of keys for each track, and how far the body was from its rest shape. */
import { measuredNow } from '../client/measured.svelte';
import type { Session } from '../client/session.svelte';
import type { Studio } from '../workspace/studio.svelte';
import type { DopeRow } from '../workspace/tracks';
import { keyTracksOf } from './read';
import { inPercent, residualAt } from './residual';

export function keyRows(session: Session, studio: Studio): DopeRow[] {
  return keyTracksOf(session.document?.scene, studio.bodyPath).flatMap(({ path, name, keys }): DopeRow[] => {
    const row: DopeRow = {
      id: `${path}.keys`, icon: 'key', name, level: 0, path, value: keys.length === 1 ? '1 key' : `${keys.length} keys`,
      track: { kind: 'keys', path: `${path}.keys`, keys: keys.map(({ frame, index }) => ({ at: frame, value: index, held: false })) },
    };
    if (studio.workspace !== 'keys') return [row];
    void session.measured.revision;
    const now = measuredNow(session.measures, studio.body, name, 'residual');
    return [row, {
      id: `residual:${path}`, icon: 'goal', name: 'Residual', level: 1, path, value: inPercent(now?.value ?? null),
      track: { kind: 'plot', colour: '--key', fromZero: true, at: residualAt(session, studio.body, name) },
    }];
  });
}
