import { describe, expect, it } from 'vitest';
import { numberAt } from '../document/channel';
import type { Json, SceneCommand } from '../document/generated/protocol';
import type { Vec3 } from '../document/vector';
import { deletion, keyFrames, moveKeys } from '../timeline/timeKeys';
import { bareKey, copyShapeKey } from './commands';
import { apart } from './labels';
import { addPoint, drawnPath, handlePlace, moveHandle, movePoint, pathOf, placeAt, removePoint, velocityAt } from './path';
import { keyTracksOf, shapeKeysOf, shapeTracksOf, sourceOf, takeTrackOf, takeTrackPath } from './read';
import { inKey, nearestAxis } from './sculpting';
import { shapeKeys } from './shapeKeys';

const KINDS = [shapeKeys];

const key = (frame: number, more: { [key: string]: Json } = {}): Json => ({ frame, along: 'x', bend_about: 'z', scale: [1, 1, 1], twist_deg: 0, bend_deg: 0, s_bend_deg: 0, lead: 0, ...more });
const scene: Json = {
  scene: { frames: [1, 60] },
  body: [{
    name: 'ball',
    director: [
      { name: 'pin', kind: 'pin' },
      { name: 'shape', kind: 'key_shapes', keys: [key(20, { name: 'squash', scale: [1.2, 0.7, 1.2] }), key(1), key(30, { asset: 'assets/key-a.npz', rest: 'assets/key-b.npz', lead: 2 })] },
      { name: 'way', kind: 'path', at: [[[1, 0], [11, 1]], [[1, 1, 'smooth'], [11, 3, 'smooth'], [21, 0]], 0.5], strength: 1 },
    ],
  }],
};
const KEYS = 'body.ball.director.shape.keys';

describe('key shapes of a scene', () => {
  it('are read in the order of time, with where their shapes come from', () => {
    expect(keyTracksOf(scene, 'body.ball')).toHaveLength(1);
    expect(shapeKeysOf(scene, 'body.ball').map(({ frame, index, name, json }) => [frame, index, name, sourceOf(json)])).toEqual([
      [1, 1, 'Rest', 'Rest'], [20, 0, 'squash', 'Formula'], [30, 2, 'Shape', 'Shape'],
    ]);
    expect(keyFrames(scene, KINDS)).toEqual([1, 11, 20, 21, 30]);
  });

  it('move by their places in the list, and not onto each other', () => {
    expect(moveKeys(scene, [`${KEYS}@20`], 5, KINDS)).toMatchObject({ commands: [{ do: 'set', path: `${KEYS}[0].frame`, value: 25 }] });
    expect(moveKeys(scene, [`${KEYS}@20`], 10, KINDS)).toBeNull();
    expect(moveKeys(scene, [`${KEYS}@20`, `${KEYS}@30`], 10, KINDS)).toMatchObject({ commands: [{ path: `${KEYS}[2].frame`, value: 40 }, { path: `${KEYS}[0].frame`, value: 30 }] });
  });

  it('go from the end of the list on, and take their director with them when none is left', () => {
    expect(deletion(scene, [`${KEYS}@20`, `${KEYS}@30`], KINDS)).toMatchObject({ commands: [{ do: 'remove', path: `${KEYS}[2]` }, { do: 'remove', path: `${KEYS}[0]` }] });
    expect(deletion(scene, [`${KEYS}@1`, `${KEYS}@20`, `${KEYS}@30`], KINDS)).toEqual({ do: 'remove', path: 'body.ball.director.shape' });
  });

  it('are copied to another frame without what was found for theirs', () => {
    const shape = shapeKeysOf(scene, 'body.ball')[2]!;
    const copied = copyShapeKey(scene, shape, 12) as Extract<SceneCommand, { do: 'batch' }>;
    const [set] = copied.commands as Extract<SceneCommand, { do: 'set' }>[];
    expect(set!.value).toEqual([{ frame: 1 }, { frame: 12, asset: 'assets/key-a.npz' }, { frame: 20, name: 'squash', scale: [1.2, 0.7, 1.2] }, { frame: 30, asset: 'assets/key-a.npz', rest: 'assets/key-b.npz', lead: 2 }]);
    expect(copyShapeKey(scene, shape, 30)).toBeNull();
    expect(bareKey({ frame: 2, bend_deg: 3, along: 'y' })).toEqual({ frame: 2, bend_deg: 3, along: 'y' });
  });
});

describe('an edited take', () => {
  const edited: Json = {
    body: [{ name: 'ball', director: [
      { name: 'shape', kind: 'key_shapes', keys: [key(9)] },
      { name: 'take', kind: 'take_edit', take: 'assets/motion-a.npz', keys: [{ frame: 30, width: 12 }, { frame: 12, width: 5, asset: 'assets/key-a.npz' }] },
    ] }],
  };

  it('is a track beside key shapes, and no track of rest shapes', () => {
    expect(shapeTracksOf(edited, 'body.ball').map(({ name }) => name)).toEqual(['shape']);
    expect(takeTrackOf(edited, 'body.ball')?.path).toBe('body.ball.director.take');
    expect(shapeKeysOf(edited, 'body.ball').map(({ kind, frame, name }) => [kind, frame, name])).toEqual([
      ['key_shapes', 9, 'Rest'], ['take_edit', 12, 'Take'], ['take_edit', 30, 'Take'],
    ]);
  });

  it('is put where its name is free', () => {
    expect(takeTrackPath(edited, 'body.ball')).toMatchObject({ path: 'body.ball.director.take', name: 'take' });
    expect(takeTrackPath(scene, 'body.ball')).toEqual({ path: 'body.ball.director.take', name: 'take' });
    const taken: Json = { body: [{ name: 'ball', director: [{ name: 'take', kind: 'pin' }] }] };
    expect(takeTrackPath(taken, 'body.ball').name).toBe('take-2');
  });

  it('keeps the order of its layers when an edit is copied', () => {
    const last = shapeKeysOf(edited, 'body.ball').find(({ frame }) => frame === 12)!;
    const copied = copyShapeKey(edited, last, 20) as Extract<SceneCommand, { do: 'batch' }>;
    const [set] = copied.commands as Extract<SceneCommand, { do: 'set' }>[];
    expect((set!.value as { frame: number }[]).map(({ frame }) => frame)).toEqual([30, 12, 20]);
  });
});

/** The path after a command that sets its channels or their keys. */
function after(command: SceneCommand | null): ReturnType<typeof pathOf> {
  const copy = structuredClone(scene) as { body: { director: { [key: string]: Json }[] }[] };
  const way = copy.body[0]!.director[2]!;
  const apply = (one: SceneCommand): void => {
    if (one.do === 'batch') return one.commands.forEach(apply);
    const axis = 'path' in one ? /\.at\[(\d)\]$/.exec(one.path)?.[1] : undefined;
    if (one.do === 'set' && axis === undefined) way.at = one.value;
    if (one.do === 'set' && axis !== undefined) (way.at as Json[])[Number(axis)] = one.value;
    if (one.do === 'insert_key') {
      const keys = ((way.at as Json[])[Number(axis)] as Json[][]).filter(([at]) => at !== one.at);
      const old = ((way.at as Json[])[Number(axis)] as Json[][]).find(([at]) => at === one.at);
      (way.at as Json[])[Number(axis)] = [...keys, [one.at, one.value, ...(one.shape ? [one.shape] : (old?.slice(2) ?? []))]].sort((a, b) => Number(a[0]) - Number(b[0]));
    }
  };
  if (command) apply(command);
  return pathOf(copy as unknown as Json, 'body.ball');
}

describe('a path', () => {
  const path = pathOf(scene, 'body.ball')!;
  const near = (a: Vec3 | null, b: Vec3, digits = 4): void => b.forEach((value, i) => expect(a![i]).toBeCloseTo(value, digits));

  it('has a point wherever one of its channels has a key', () => {
    expect(path.frames).toEqual([1, 11, 21]);
    expect(placeAt(path, 11)).toEqual([1, 3, 0.5]);
  });

  it('goes through a point that is dragged, and where it was elsewhere', () => {
    const moved = after(movePoint(path, 11, [2, 4, 1]))!;
    near(placeAt(moved, 11), [2, 4, 1]);
    near(placeAt(moved, 1), [0, 1, 0.5]);
    near(placeAt(moved, 21), [1, 0, 0.5].map((value, i) => (i === 0 ? numberAt(moved.at[0]!, 21)! : value)) as Vec3);
  });

  it('has the velocity of a handle on both sides, or on one', () => {
    const to: Vec3 = [1.5, 5, 0.5];
    const both = after(moveHandle(path, { frame: 11, side: 1 }, to, false))!;
    near(handlePlace(both, { frame: 11, side: 1 }), to, 2);
    near(velocityAt(both, 11, 1), velocityAt(both, 11, -1), 2);
    const parted = after(moveHandle(path, { frame: 11, side: 1 }, to, true))!;
    near(handlePlace(parted, { frame: 11, side: 1 }), to, 2);
    near(velocityAt(parted, 11, -1), velocityAt(path, 11, -1), 2);
    for (const frame of [1, 11, 21]) near(placeAt(both, frame), placeAt(path, frame));
  });

  it('leads the same way with one more point', () => {
    const more = after(addPoint(path, 16))!;
    expect(more.frames).toEqual([1, 11, 16, 21]);
    for (let frame = 1; frame <= 21; frame += 0.5) near(placeAt(more, frame), placeAt(path, frame), 3);
    expect(addPoint(path, 11)).toBeNull();
    expect(removePoint(path, 11)).toMatchObject({ commands: [{ do: 'delete_key', at: 11 }, { do: 'delete_key', at: 11 }] });
  });

  it('is drawn on from a frame, or anew where a body has none', () => {
    const drawn = after(drawnPath(scene, 'body.ball', [[1, 3, 0], [2, 5, 0], [3, 3, 0]], 13, 37)!.command)!;
    expect(drawn.frames).toEqual([1, 11, 13, 19, 25, 31, 37]);
    near(placeAt(drawn, 25), [2, 5, 0]);
    near(placeAt(drawn, 11), placeAt(path, 11));
    const free: Json = { body: [{ name: 'ball' }] };
    const { command, path: at } = drawnPath(free, 'body.ball', [[0, 0, 0], [1, 0, 0]], 10, 22)!;
    expect(at).toBe('body.ball.director.path');
    expect(command).toMatchObject({ commands: [{ do: 'add', value: { kind: 'path', strength: [[10, 0], [13, 1]] } }] });
    expect(drawnPath(scene, 'body.ball', [[0, 0, 0], [0, 0, 0]], 1, 30)).toBeNull();
  });
});

it('directions of the world are those of a key that is turned back', () => {
  const half = Math.SQRT1_2;
  const shown = { turn: [0, 0, half, half] } as Parameters<typeof inKey>[0]; // a quarter about z
  const up = inKey(shown, [0, 1, 0]);
  [1, 0, 0].forEach((value, i) => expect(up[i]).toBeCloseTo(value, 9));
  expect(nearestAxis([0.1, -0.9, 0.3])).toBe(1);
});

describe('names of key shapes', () => {
  const label = (text: string, x: number, y: number) => ({ text, x, y });

  it('stand where their shapes are', () => {
    const far = [label('rest · 1', 100, 80), label('fall · 10', 200, 80), label('rise · 18', 100, 120)];
    expect(apart(far)).toEqual(far);
  });

  it('go beside one another where shapes stand in one place, the first where it was', () => {
    const placed = apart([label('rest · 1', 100, 80), label('round-2 · 54', 104, 83), label('round · 28', 96, 80)]);
    expect(placed[0]).toEqual(label('rest · 1', 100, 80));
    const lines = placed.map(({ y }) => y).sort((a, b) => a - b);
    expect(lines[1]! - lines[0]!).toBeGreaterThanOrEqual(20);
    expect(lines[2]! - lines[1]!).toBeGreaterThanOrEqual(20);
  });
});
