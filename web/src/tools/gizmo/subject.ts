/** What the gizmo acts on: the selected body, obstacle, the point that the camera looks at, or where the light comes from. */
import type { Session } from '../../client/session.svelte';
import { isKeyed, numberAt } from '../../document/channel';
import type { Json, SceneCommand } from '../../document/generated/protocol';
import { isTable, type Table, valueAt } from '../../document/scene';
import type { Studio } from '../../workspace/studio.svelte';
import { type Vec3, add, scale, sub } from '../../document/vector';
import { lightAt } from '../../document/light';
import type { Placed } from '../../stage/placed';

export interface Subject {
  path: string;
  kind: 'body' | 'obstacle' | 'camera' | 'light';
  /** At the present frame. */
  placed: Placed;
  /** Whether it can be turned. */
  turns: boolean;
  keyed: boolean;
  /** Of a light: what it shines at. Only the direction from there counts. */
  centre?: Vec3;
}

/** Parts of a body that are places in the inspector and nothing on stage of their own. */
const PARTS = /^(body(?:\.[^.[]+|\[\d+\]))\.(skin|flesh|solver|material)$/;

/** None where nothing is selected that has a place. */
export function subjectOf(session: Session, studio: Studio): Subject | null {
  const { selection } = studio;
  const scene = session.document?.scene;
  if (!selection || !scene) return null;
  if (selection === 'light') return lightSubject(scene, session.frame, studio);
  const path = PARTS.exec(selection)?.[1] ?? selection;
  const kind = /^(body|obstacle)(\.[^.[]+|\[\d+\])$/.exec(path)?.[1] ?? (path === 'camera' ? 'camera' : null);
  const json = valueAt(scene, path);
  if (!kind || !isTable(json)) return null;
  const [at, turn] = kind === 'camera' ? [json.look_at, undefined] : [json.at, json.turn];
  const scales = kind === 'body' || json.shape === 'mesh';
  const placed = { at: vectorAt(at, session.frame), turnDeg: vectorAt(turn, session.frame), ...(scales ? { times: timesOf(json.scale) } : {}) };
  return { path, kind: kind as Subject['kind'], placed, turns: kind !== 'camera', keyed: [at, turn].some((each) => entriesOf(each).some(isKeyed)) };
}

function lightSubject(scene: Json, frame: number, { viewport }: Studio): Subject | null {
  if (!viewport) return null;
  const { centre, awayM } = viewport.lightAbout;
  const { from } = lightAt(scene, frame);
  const at = add(centre, scale(from, awayM / Math.hypot(...from)));
  const json = valueAt(scene, 'light.from');
  return { path: 'light', kind: 'light', placed: { at, turnDeg: [0, 0, 0] }, turns: false, keyed: entriesOf(json).some(isKeyed), centre };
}

/** A direction as long as it was, to a thousandth. */
function directionOf(way: Vec3, was: Vec3): Vec3 {
  const factor = Math.hypot(...was) / Math.max(Math.hypot(...way), 1e-9);
  return scale(way, factor).map((part) => Math.round(part * 1000) / 1000) as Vec3;
}

/** One step that puts the subject there: keyed numbers get keys at the frame, the others are set. None where it stays. */
export function putCommand(scene: Json | undefined, { path, kind, centre }: Subject, to: Placed, frame: number, label: string): SceneCommand | null {
  const json = valueAt(scene, path);
  if (!isTable(json)) return null;
  const commands =
    kind === 'light'
      ? setVector(`${path}.from`, json.from, directionOf(sub(to.at, centre ?? [0, 0, 0]), lightAt(scene, frame).from), frame)
    : kind === 'camera'
      ? setVector(`${path}.look_at`, json.look_at, to.at, frame)
      : [...setVector(`${path}.at`, json.at, to.at, frame), ...setVector(`${path}.turn`, json.turn, to.turnDeg, frame), ...setTimes(`${path}.scale`, json, to.times)];
  return commands.length === 0 ? null : { do: 'batch', label, commands };
}

export function setVector(path: string, json: Json | undefined, to: Vec3, frame: number): SceneCommand[] {
  const entries = entriesOf(json);
  const now = vectorAt(json, frame);
  const changed = ([0, 1, 2] as const).filter((i) => Math.abs(to[i] - now[i]) > 1e-9);
  if (changed.length === 0) return [];
  if (!entries.some(isKeyed)) return [{ do: 'set', path, value: to }];
  // The list is in the file as soon as one entry is keyed, so each entry can be set by itself.
  return changed.map((i): SceneCommand =>
    isKeyed(entries[i]) ? { do: 'insert_key', path: `${path}[${i}]`, at: frame, value: to[i] } : { do: 'set', path: `${path}[${i}]`, value: to[i] },
  );
}

/** A number stands for all three axes. */
const timesOf = (json: Json | undefined): Vec3 => (Array.isArray(json) ? (json as Vec3) : [Number(json ?? 1), Number(json ?? 1), Number(json ?? 1)]);

/** Meshes of obstacles have one size for all axes: that of the axis that changed most. */
function setTimes(path: string, { scale: was, shape }: Table, to: Vec3 | undefined): SceneCommand[] {
  const before = timesOf(was);
  if (!to || to.every((size, i) => Math.abs(size - before[i]!) < 1e-9)) return [];
  const change = (i: number): number => Math.abs(to[i]! / before[i]! - 1);
  const most = [0, 1, 2].reduce((best, i) => (change(i) > change(best) ? i : best), 0);
  const even = shape === 'mesh' || to.every((size) => Math.abs(size - to[0]) < 1e-9);
  return [{ do: 'set', path, value: even ? to[most]! : [...to] }];
}

const entriesOf = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);

function vectorAt(json: Json | undefined, frame: number): Vec3 {
  const entries = entriesOf(json);
  return [0, 1, 2].map((i) => numberAt(entries[i], frame) ?? 0) as Vec3;
}
