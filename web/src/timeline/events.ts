/** What hands do to bodies, as clips on the timeline: pulls and touches of the scene, and touches that a muscle has of its own. */
import { numberAt } from '../document/channel';
import type { Json, SceneCommand } from '../document/generated/protocol';
import { bodyPathOf, entryPath, isTable, list, nameOf, type Table, valueAt } from '../document/scene';
import { respondsTo } from '../document/touch';
import type { KeyKind } from '../workspace/keyKind';
import type { EventClip } from '../workspace/tracks';

export interface EventRow {
  /** The body it is done to. */
  body: string;
  name: string;
  clips: EventClip[];
}

const EVENT = /\.(event|touches)\[\d+\]$/;

/** Whether a path leads to an event. */
export const isEvent = (path: string): boolean => EVENT.test(path);

/** The bodies that something is done to, in the scene's order. */
export function eventRows(scene: Json | undefined, fps: number): EventRow[] {
  const bodies = list(scene, 'body');
  return bodies.flatMap((body, i): EventRow[] => {
    if (!isTable(body)) return [];
    const path = entryPath('body', bodies, i);
    const clips = [...ownClips(body, path, fps), ...muscleClips(body, path, fps)];
    return clips.length > 0 ? [{ body: path, name: nameOf(body) ?? 'Body', clips }] : [];
  });
}

/** All events of a scene by path. */
export function eventFrames(scene: Json | undefined): Map<string, number> {
  return new Map(eventRows(scene, 24).flatMap((row) => row.clips.map((clip) => [clip.path, clip.at])));
}

/** Moves an event; none where it would begin before the shot does. */
export function moveEvent(scene: Json | undefined, path: string, to: number): SceneCommand | null {
  const frames = valueAt(scene, 'scene.frames');
  const first = Array.isArray(frames) && typeof frames[0] === 'number' ? frames[0] : 1;
  return to < first ? null : { do: 'set', path: `${path}.frame`, value: to };
}

/** Those later in their list go first, so that the places of the others hold. */
export function removeEvents(paths: string[]): SceneCommand[] {
  const place = (path: string): number => Number(/\[(\d+)\]$/.exec(path)?.[1] ?? 0);
  return [...paths].sort((a, b) => place(b) - place(a)).map((path) => ({ do: 'remove', path }));
}

export const clipInWords = (row: { name: string }, clip: EventClip): string =>
  clip.kind === 'touch' ? `Touch of ${row.name}, frame ${clip.at}` : `Pull of ${row.name}, frames ${clip.at} to ${clip.end}`;

function ownClips(body: Table, path: string, fps: number): EventClip[] {
  return entries(body.event).flatMap((event, i): EventClip[] => {
    if (!isTable(event) || typeof event.frame !== 'number') return [];
    const at = event.frame;
    const last = Array.isArray(event.path) ? event.path.at(-1) : null;
    const length = Array.isArray(last) && typeof last[0] === 'number' ? last[0] : 0;
    const isTouch = event.kind === 'touch';
    return [{ path: `${path}.event[${i}]`, kind: isTouch ? 'touch' : 'pull', at, end: at + (isTouch ? longestResponse(body, at, fps) : Math.ceil(length)) }];
  });
}

function muscleClips(body: Table, path: string, fps: number): EventClip[] {
  const directors = entries(body.director);
  return directors.flatMap((director, i): EventClip[] => {
    if (!isTable(director) || !isTable(director.respond)) return [];
    const at = `${entryPath(`${path}.director`, directors, i)}.respond.touches`;
    return entries(director.respond.touches).flatMap((touch, j): EventClip[] =>
      isTable(touch) && typeof touch.frame === 'number' ? [{ path: `${at}[${j}]`, kind: 'touch', at: touch.frame, end: touch.frame + responseFrames(director, touch.frame, fps) }] : [],
    );
  });
}

/** Frames until a response has crossed the body and its charts have been swept once. */
function responseFrames(muscle: Table, at: number, fps: number): number {
  const speed = Math.max(1e-3, numberAt(muscle.speed, at) ?? 1);
  return Math.max(1, Math.round(((numberAt(muscle.period, at) ?? 1) + 1 / speed) * fps));
}

function longestResponse(body: Table, at: number, fps: number): number {
  return Math.max(1, ...entries(body.director).filter(respondsTo).map((muscle) => responseFrames(muscle, at, fps)));
}

const entries = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);

/** Events among the keys of the timeline. */
export const eventKeys: KeyKind = {
  noun: 'event',
  owns: isEvent,
  frames: (scene) => [...eventFrames(scene).values()],
  isTaken: () => false,
  move: (scene, path, _, to) => moveEvent(scene, path, to),
  remove: (_, chosen) => removeEvents(chosen.map(({ path }) => path)),
  select: (studio, path) => studio.select(bodyPathOf(path)),
};
