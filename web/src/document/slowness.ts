/** What can be done where frames take too long to be worked with. */
import type { NoticeAction, SceneCommand } from './generated/protocol';
import { type Json, type Table, entryPath, isTable, list, nameOf } from './scene';
import type { Warning } from './warning';

/** Longer than this for a frame is no work any more. */
export const SLOW_MS = 250;
/** So many slow frames one after the other, before anything is said: the first contact may take long once. */
export const SLOW_FRAMES = 4;
/** Enough for most bodies to look alive (measured: a cow of 3,000 takes 9 times as long in contact). */
const FEWER = 1000;

/** Says why, and offers what helps, for the body that takes most. None where nothing can be offered. */
export function slowness(scene: Json | undefined, frameMs: number): Warning | null {
  const bodies = list(scene, 'body');
  const found = bodies
    .flatMap((body, i) => (isTable(body) ? [{ body, path: entryPath('body', bodies, i), vertices: verticesOf(body) }] : []))
    .filter(({ body }) => kindOf(body) === 'fem')
    .sort((a, b) => b.vertices - a.vertices)[0];
  if (!found) return null;
  const { body, path, vertices } = found;
  const solver = isTable(body.solver) ? body.solver : {};
  const act = (name: string, command: SceneCommand): NoticeAction => ({ name, command: { do: 'edit', command } });
  const actions = [
    ...(vertices > FEWER ? [act(`Use ${FEWER.toLocaleString('en-US')} vertices`, { do: 'set', path: `${path}.flesh.vertices`, value: FEWER })] : []),
    ...(solver.method !== 'descent' ? [act('Use descent', { do: 'set', path: `${path}.solver.method`, value: 'descent' })] : []),
  ];
  if (actions.length === 0) return null;
  const why = `A frame takes ${(frameMs / 1000).toFixed(1)} s: ${vertices > FEWER ? `${vertices.toLocaleString('en-US')} points` : 'Newton’s method'} in contact ${vertices > FEWER ? 'are' : 'is'} for final quality, not to work with.`;
  return { level: 'warning', text: `${nameOf(body) ?? 'The body'} takes long to simulate: make it faster?`, help: why, path: `${path}.solver`, actions };
}

const kindOf = (body: Table): string => (isTable(body.solver) ? String(body.solver.kind) : 'shape_matching');

function verticesOf({ flesh }: Table): number {
  return isTable(flesh) && typeof flesh.vertices === 'number' ? flesh.vertices : 0;
}
