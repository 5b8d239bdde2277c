/** What can be done with key shapes, from list, rail, menus and keys alike. */
import type { Session } from '../client/session.svelte';
import type { JobInfo } from '../document/generated/protocol';
import { entryPath, freeName, list, nameOf } from '../document/scene';
import type { MenuEntry } from '../ui/menu.svelte';
import type { Scope } from '../workspace/scope';
import { chooseAlone, chooseKey } from './chosen';
import { copyShapeKey, forgetExact, removeShapeKeys } from './commands';
import { type ShapeKey, shapeTracksOf } from './read';

/** What takes are called that a search's answer is compared with; each search keeps one of its own. */
const BEFORE = 'before-keys';

/** Keys the selected body where time is, and chooses that key once it is there. */
export function keyHere({ session, studio }: Scope, from: 'shown' | 'rest'): void {
  const tracks = shapeTracksOf(session.document?.scene, studio.bodyPath);
  const track = tracks.find(({ path }) => path === studio.selection) ?? tracks[0];
  if (session.transport?.playing) session.send({ do: 'pause' });
  session.send({ do: 'key', body: studio.body, frame: session.frame, from, ...(track ? { director: track.name } : {}) });
  const path = track?.path ?? `${studio.bodyPath}.director.shape`;
  chooseAlone(studio, { track: path, frame: session.frame });
}

export function removeKey({ session, studio }: Scope, key: ShapeKey): void {
  const commands = removeShapeKeys(session.document?.scene, `${key.track}.keys`, [key.frame]);
  if (commands[0]) session.edit({ do: 'batch', label: `delete key ${key.frame} of ${key.trackName}`, commands });
  studio.chosenKeys = new Set();
}

export function copyHere(scope: Scope, key: ShapeKey): void {
  const { session, studio } = scope;
  const command = copyShapeKey(session.document?.scene, key, session.frame);
  if (!command) {
    session.refused = 'Go to the frame where the copy should be first.';
    return;
  }
  session.edit(command);
  chooseAlone(studio, { track: key.track, frame: session.frame });
}

/** The newest of the takes that were kept before a search. */
export function takeBefore(names: readonly string[]): string | undefined {
  const number = (name: string): number => (name === BEFORE ? 1 : Number(name.match(/^before-keys-(\d+)$/)?.[1] ?? 0));
  return names.filter((name) => number(name) > 0).sort((a, b) => number(a) - number(b)).at(-1);
}

/** What was simulated is kept, to be seen beside what comes of the answer. */
function keepBefore(session: Session): void {
  const { transport, scene } = session;
  if (transport && scene && transport.recorded_from === scene.first_frame && transport.recorded_to > transport.recorded_from) {
    session.keepTake(freeName(BEFORE, session.takes.names.map(({ name }) => name)));
  }
}

export function makeExact(session: Session, track: string): void {
  keepBefore(session);
  session.send({ do: 'refine', director: track });
}

export function keyContacts({ session, studio }: Scope, exaggerated: boolean): void {
  keepBefore(session);
  session.send({ do: 'key_contacts', body: studio.body, exaggerated });
}

/** Begins a path where the body went. */
export function pathFromRun({ session, studio }: Scope): void {
  session.send({ do: 'key_path', body: studio.body, every: 8, turns: false });
}

/** The search for keys that runs, or failed and was neither put away nor followed by another. */
export function searchOf(jobs: readonly JobInfo[]): JobInfo | undefined {
  const last = jobs.findLast((job) => /keys (of|for) /.test(job.what));
  return last?.done ? undefined : last;
}

export function addMenu(scope: Scope): MenuEntry[] {
  return [
    { name: 'As it looks here', icon: 'key', key: 'I', hint: 'The shape that is seen at the playhead', run: () => keyHere(scope, 'shown') },
    { name: 'The body at rest', icon: 'body', key: 'Shift+I', run: () => keyHere(scope, 'rest') },
    'rule',
    { name: 'Contacts, as performed', icon: 'obstacle', hint: 'Keys before, at and after each contact', run: () => keyContacts(scope, false) },
    { name: 'Contacts, exaggerated', icon: 'obstacle', hint: 'The same with shapes that are 1.6 times as far from rest', run: () => keyContacts(scope, true) },
    'rule',
    { name: 'Path from the run', icon: 'path', hint: 'A path through the places where the body was', run: () => pathFromRun(scope) },
  ];
}

/** Gives the other bodies a track of keys or a path, as it is or mirrored left to right. */
export function copyMenu({ session, studio }: Scope, director: string, what: 'track' | 'path'): MenuEntry[] {
  const bodies = list(session.document?.scene, 'body');
  const others = bodies.flatMap((body, i) => {
    const to = entryPath('body', bodies, i);
    return to === studio.bodyPath ? [] : [{ to, name: nameOf(body) ?? to }];
  });
  return others.flatMap(({ to, name }): MenuEntry[] => [
    { name: `Copy ${what} to ${name}`, icon: 'copy', run: () => session.edit({ do: 'copy_director', from: director, to }) },
    { name: `Copy ${what} mirrored to ${name}`, icon: 'mirror', hint: 'Left and right exchanged', run: () => session.edit({ do: 'copy_director', from: director, to, mirror: 'x' }) },
  ]);
}

export function keyMenu(scope: Scope, key: ShapeKey): MenuEntry[] {
  const { session, studio } = scope;
  const exact = typeof key.json.rest === 'string';
  return [
    { name: 'Go to it', icon: 'key_next', run: () => chooseKey(session, studio, key) },
    { name: 'Copy to this frame', icon: 'copy', key: 'Shift+D', disabled: session.frame === key.frame, run: () => copyHere(scope, key) },
    ...(key.kind === 'key_shapes' ? [{ name: 'Make all exact', icon: 'goal' as const, hint: 'Finds the rest shapes with which the simulated body meets its keys', run: () => makeExact(session, key.track) }] : []),
    ...(exact ? [{ name: 'Its own shape as rest shape', run: () => session.edit(forgetExact(key)) }] : []),
    ...(key.kind === 'key_shapes' ? copyMenu(scope, key.track, 'track') : []),
    'rule',
    { name: 'Delete', icon: 'trash', key: 'Delete', danger: true, run: () => removeKey(scope, key) },
  ];
}
