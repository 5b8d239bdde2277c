import { describe, expect, it } from 'vitest';
import type { Json } from '../../document/generated/protocol';
import type { Vec3 } from '../../document/vector';
import { Act, type Eye } from './act';
import { carried, degreesNear, motionOf, turnOf, turned } from '../../stage/placed';
import { putCommand, setVector, type Subject } from './subject';

/** Looks along −z in parallel; a pixel is a centimetre, (0, 0) the world's origin. */
const EYE: Eye = {
  ray: (x, y) => ({ origin: [x / 100, -y / 100, 5], direction: [0, 0, -1] }),
  pixelOf: ([x, y]) => ({ x: 100 * x, y: -100 * y }),
  forward: [0, 0, -1],
  metresPerPixel: () => 0.01,
};
const FREE = { shift: false, ctrl: false };
const act = (mode: 'move' | 'turn' | 'scale', at: Vec3 = [0, 0, 0], turnDeg: Vec3 = [0, 0, 0]): Act => new Act(mode, { at, turnDeg }, EYE);

describe('scaling', () => {
  it('goes by how far the hand is from the middle, along all axes or those that a key names', () => {
    const scale = act('scale');
    scale.reach({ x: 40, y: 0 }, FREE);
    scale.reach({ x: 0, y: 60 }, FREE);
    expect([scale.placed.times, scale.words]).toEqual([[1.5, 1.5, 1.5], '×1.50']);
    scale.key('y', false);
    expect([scale.placed.times, scale.words]).toEqual([[1, 1.5, 1], 'Y ×1.50']);
    scale.key('Y', true);
    expect(scale.placed.times, 'Shift: the two others').toEqual([1.5, 1, 1.5]);
    scale.key('2', false);
    expect(scale.placed.times).toEqual([2, 1, 2]);
    const snapped = act('scale');
    snapped.reach({ x: 100, y: 0 }, FREE);
    snapped.reach({ x: 137, y: 0 }, { shift: false, ctrl: true });
    expect(snapped.placed.times![0]).toBeCloseTo(1.4, 9);
  });

  it('is one edit: a number where it is even, a list where not, and one number for a mesh that is an obstacle', () => {
    const scene: Json = { body: [{ name: 'a', at: [0, 0, 0], scale: 2 }], obstacle: [{ name: 'rock', shape: 'mesh', mesh: 'a.obj', at: [0, 0, 0] }] };
    const put = (path: string, times: Vec3) => putCommand(scene, { path, kind: path.startsWith('body') ? 'body' : 'obstacle', placed: { at: [0, 0, 0], turnDeg: [0, 0, 0] }, turns: true, keyed: false }, { at: [0, 0, 0], turnDeg: [0, 0, 0], times }, 1, 'scale');
    expect(put('body.a', [3, 3, 3])).toMatchObject({ commands: [{ do: 'set', path: 'body.a.scale', value: 3 }] });
    expect(put('body.a', [2, 3, 2])).toMatchObject({ commands: [{ value: [2, 3, 2] }] });
    expect(put('obstacle.rock', [1, 0.5, 1])).toMatchObject({ commands: [{ path: 'obstacle.rock.scale', value: 0.5 }] });
    expect(put('body.a', [2, 2, 2])).toBeNull();
  });
});

describe('moving', () => {
  it('follows the hand in the view’s plane, or along the axis or plane that a key names', () => {
    const move = act('move', [0, 0, 2]);
    move.reach({ x: 10, y: 10 }, FREE);
    move.reach({ x: 60, y: -20 }, FREE);
    expect(move.placed.at).toEqual([0.5, 0.3, 2]);
    move.key('x', false);
    expect(move.placed.at).toEqual([0.5, 0, 2]);
    expect(move.words).toBe('X 0.50 m');
    move.key('Y', false);
    expect(move.placed.at).toEqual([0, 0.3, 2]);
    move.key('y', false);
    expect(move.placed.at, 'the same key again lets go').toEqual([0.5, 0.3, 2]);
    move.key('X', true);
    expect(move.placed.at[0], 'Shift keeps to the plane across').toBe(0);
  });

  it('goes slower with Shift from where the hand was, and onto the grid with Ctrl', () => {
    const move = act('move');
    move.reach({ x: 0, y: 0 }, FREE);
    move.reach({ x: 50, y: 0 }, FREE);
    move.reach({ x: 80, y: 0 }, { shift: true, ctrl: false });
    expect(move.placed.at).toEqual([0.53, 0, 0]);
    const snapped = act('move', [0.13, 0, 0]);
    snapped.reach({ x: 0, y: 0 }, FREE);
    snapped.reach({ x: 120, y: 0 }, { shift: false, ctrl: true });
    expect(snapped.placed.at[0]).toBeCloseTo(1, 9);
  });

  it('takes a typed amount and steps of the arrows', () => {
    const move = act('move');
    for (const key of ['z', '1', '.', '2', '5', '-']) expect(move.key(key, false)).toBe(true);
    expect([move.placed.at, move.words]).toEqual([[0, 0, -1.25], 'Z −1.25 m']);
    move.key('Backspace', false);
    expect(move.placed.at).toEqual([0, 0, -1.2]);
    const stepped = act('move');
    stepped.key('ArrowRight', false);
    stepped.key('ArrowRight', false);
    stepped.key('ArrowLeft', true);
    expect(stepped.placed.at[0]).toBeCloseTo(0.19, 9);
    expect(stepped.key('q', false), 'other keys are not its own').toBe(false);
  });
});

describe('turning', () => {
  it('goes around with the hand, through whole turns', () => {
    const turn = act('turn');
    for (let deg = 0; deg <= 450; deg += 30) turn.reach({ x: 50 * Math.cos((deg * Math.PI) / 180), y: -50 * Math.sin((deg * Math.PI) / 180) }, FREE);
    expect(turn.placed.turnDeg[2]).toBeCloseTo(450, 3);
    turn.key('y', false);
    expect(turn.words).toBe('Y 450.0°');
    turn.reach({ x: 50 * Math.cos(2.7), y: -50 * Math.sin(2.7) }, { shift: false, ctrl: true });
    expect(Number.parseFloat(turn.words.slice(2)) % 15).toBe(0);
  });

  it('is about axes of the world, whatever the turn was', () => {
    const before: Vec3 = [20, -35, 70];
    const after = turned(before, [0, 1, 0], 200);
    const [x, y, z] = carried([1, 0, 0], motionOf({ at: [0, 0, 0], turnDeg: before }, { at: [0, 0, 0], turnDeg: after }));
    expect([x, y, z].map((c) => Number(c.toFixed(6)) + 0)).toEqual([-0.939693, 0, 0.34202]);
    expect(degreesNear(turnOf([370, 0, 0]), [350, 0, 0])[0]).toBeCloseTo(370, 6);
  });
});

describe('the edit', () => {
  const subject: Subject = { path: 'obstacle.ball', kind: 'obstacle', placed: { at: [0, 0, 0], turnDeg: [0, 0, 0] }, turns: true, keyed: false };

  it('sets what is constant, keys what is keyed, and is none where nothing changed', () => {
    const keyed: Json = [1, [[1, 0], [9, 2]], 0];
    expect(setVector('p', keyed, [1, 1.5, 0.5], 5)).toEqual([
      { do: 'insert_key', path: 'p[1]', at: 5, value: 1.5 },
      { do: 'set', path: 'p[2]', value: 0.5 },
    ]);
    expect(setVector('p', [1, 2, 3], [1, 2, 4], 5)).toEqual([{ do: 'set', path: 'p', value: [1, 2, 4] }]);
    const scene: Json = { obstacle: [{ name: 'ball', at: [1, 2, 3] }] };
    expect(putCommand(scene, subject, { at: [1, 2, 3], turnDeg: [0, 0, 0] }, 1, 'move ball')).toBeNull();
    expect(putCommand(scene, subject, { at: [1, 2, 3], turnDeg: [0, 90, 0] }, 1, 'turn ball')).toMatchObject({ do: 'batch', label: 'turn ball', commands: [{ path: 'obstacle.ball.turn' }] });
  });
});
