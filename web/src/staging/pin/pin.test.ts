import { describe, expect, it } from 'vitest';
import type { Model } from '../../client/wire';
import type { Table } from '../../document/scene';
import { DepthBuffer } from './depth';
import { pointsOf, whereabouts } from '../../parts/sets';
import { fleshUnder, pinCommand } from './pins';
import { contains } from './region';

describe('regions', () => {
  it('contain what was drawn around, boxed or brushed', () => {
    const box = { kind: 'box' as const, from: { x: 30, y: 40 }, to: { x: 10, y: 20 } };
    expect([contains(box, { x: 20, y: 30 }), contains(box, { x: 31, y: 30 })]).toEqual([true, false]);
    const lasso = { kind: 'lasso' as const, points: [{ x: 0, y: 0 }, { x: 10, y: 0 }, { x: 10, y: 10 }, { x: 5, y: 2 }, { x: 0, y: 10 }] };
    expect([contains(lasso, { x: 2, y: 3 }), contains(lasso, { x: 5, y: 6 })]).toEqual([true, false]);
    const brush = { kind: 'brush' as const, points: [{ x: 0, y: 0 }, { x: 20, y: 0 }], radiusPx: 3 };
    expect([contains(brush, { x: 10, y: 2.9 }), contains(brush, { x: 10, y: 3.1 }), contains(brush, { x: 22.5, y: 0 })]).toEqual([true, false, true]);
  });
});

describe('the depth buffer', () => {
  it('hides what lies behind, and not what it was drawn with', () => {
    const depth = new DepthBuffer(100, 100);
    // A wall at 2 m over the left half, slanting away to 4 m at its right edge.
    depth.draw({ places: Float32Array.of(0, 0, 2, 50, 0, 4, 50, 100, 4, 0, 100, 2), triangles: Uint32Array.of(0, 1, 2, 0, 2, 3) });
    expect(depth.sees(10, 50, 3, 0.05)).toBe(false);
    expect(depth.sees(10, 50, 1.9, 0.05)).toBe(true);
    expect(depth.sees(80, 50, 100, 0.05)).toBe(true);
    // On the slant itself, 1/z is linear: at half way it is 1/(½·½ + ½·¼) = 2.667 m.
    expect(depth.sees(25, 50, 2.667, 0.05)).toBe(true);
    expect(depth.sees(25, 50, 2.667 + 0.2, 0.05)).toBe(false);
    expect(depth.sees(-1, 50, 1, 0.05)).toBe(false);
    expect(depth.sees(10, 50, -1, 0.05)).toBe(false);
  });
});

const model: Model = {
  id: 0, pointCount: 4, skinVertexCount: 3, rowStart: Uint32Array.of(0, 1, 3, 6), rowPoint: Uint32Array.of(0, 1, 2, 1, 2, 3),
  rowWeight: Float32Array.of(1, 0.5, 0.5, 0.1, 0.2, 0.7), triangles: Uint32Array.of(0, 1, 2), rest: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1),
  numbers: Uint32Array.of(3, 2, 1, 0), smooth: null, colours: null, picture: null,
};
const scene: Table = {
  body: [{ name: 'bar', sets: { hold: { vertices: [1, 2] }, end: { side: '-x' } }, director: [{ name: 'hold', kind: 'pin', on: 'hold' }] }],
};

describe('pins', () => {
  it('hold the flesh that carries the chosen skin', () => {
    expect([...fleshUnder(model, [0, 2])].sort()).toEqual([0, 3]);
    expect([...fleshUnder(model, [1])].sort()).toEqual([1, 2]);
    expect(pointsOf({ vertices: [3, 0] }, model)).toEqual([0, 3]);
    expect(pointsOf({ side: 'x', within: 0.1 }, model)).toEqual([1]);
    expect(pointsOf({ sphere: { centre: [0, 0, 0], radius: 0.5 } }, model)).toEqual([0]);
    expect(pointsOf({ box: { min: [-1, 0.5, -1], max: [1, 2, 1] } }, model)).toEqual([2]);
    expect(pointsOf({ strokes: [[[0.2, 0, 0], [0.9, 0, 0]], [[0, 0, 0.7]]], radius: 0.31 }, model)).toEqual([0, 1, 3]);
  });

  it('are new, grown or shrunk in one step', () => {
    const made = pinCommand(scene, 'body.bar', 'body.bar', [5, 3, 5], 'new')!;
    expect(made.select).toBe('body.bar.director.pin');
    expect(made.command).toMatchObject({ do: 'batch', commands: [{ to: 'body.bar.sets', name: 'pin', value: { vertices: [3, 5] } }, { value: { kind: 'pin', on: 'pin' } }] });
    expect(pinCommand(scene, 'body.bar', 'body.bar.director.hold', [5], 'add')!.command).toEqual({ do: 'set', path: 'body.bar.sets.hold.vertices', value: [1, 2, 5] });
    expect(pinCommand(scene, 'body.bar', 'body.bar.sets.hold', [2], 'take')!.command).toEqual({ do: 'set', path: 'body.bar.sets.hold.vertices', value: [1] });
    expect(pinCommand(scene, 'body.bar', 'body.bar.director.hold', [1, 2], 'take')!).toMatchObject({ select: 'body.bar', command: { commands: [{ do: 'remove' }, { do: 'remove' }] } });
    expect(pinCommand(scene, 'body.bar', 'body.bar', [1], 'take')).toBeNull();
    expect(pinCommand(scene, 'body.bar', 'body.bar', [], 'new')).toBeNull();
  });

  it('says how many points a set has and at which end of the body', () => {
    const rest = Float32Array.from([-1, 0, 0, -0.9, 0.1, 0, 0, 0, 0, 0.9, -0.1, 0, 1, 0, 0]);
    const words = (...points: number[]) => whereabouts(points, { rest, pointCount: 5 });
    expect([words(0, 1), words(3), words(1, 2, 3), words(0, 1, 2, 3, 4), words()]).toEqual(['2 points, left', '1 point, right', '3 points, middle', 'everything', '0 points']);
  });
});
