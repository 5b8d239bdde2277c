/** Plans of the selected body on the timeline: a row of keys for each. */
import type { Session } from '../client/session.svelte';
import type { Studio } from '../workspace/studio.svelte';
import type { DopeRow } from '../workspace/tracks';
import { plansOf } from './read';

export function planRows(session: Session, studio: Studio): DopeRow[] {
  return plansOf(session.document?.scene, studio.bodyPath).map(({ path, name, keys }): DopeRow => ({
    id: `${path}.plan`, icon: 'path', name, level: 0, path, value: keys.length === 1 ? '1 key' : `${keys.length} keys`,
    track: { kind: 'keys', path: `${path}.keys`, keys: keys.map(({ frame, index }) => ({ at: frame, value: index, held: false })) },
  }));
}
