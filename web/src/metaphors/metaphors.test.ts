import { describe, expect, it } from 'vitest';
import { numberAt } from '../document/channel';
import type { Transport } from '../document/generated/protocol';
import type { DocumentInfo } from '../document/generated/protocol';
import type { Json, Table } from '../document/scene';
import { type Vec3, dot, length, sub } from '../document/vector';
import { addCommand, fitted, growCommand, isSolo, mirrored, moveCommand, negated, soloCommand } from './commands';
import { offBy, overshoot, wantedAt } from './facts';
import { bestFit, inverse, turned } from './fit';
import { fittedDiscs, frameNow, frameOf, middleOf, nearestPoint, partsOf, placeIn, pointsIn, pushAt, restFrameOf, strengthOf, worldOf } from './geometry';
import { about, alongLine, rollOf } from './handles';
import { outline } from './outlines';
import { Measured } from '../client/measured.svelte';
import { principalFrame } from './principal';
import { metaphorsOf, sizesOf, textOf } from './read';
import { warningsOfMetaphors } from './warnings';
import { easedPulse, limbAt, suggested } from './suggest';

/** A bar of points between two corners, `counts` cells along each side. */
function grid(low: Vec3, high: Vec3, counts: Vec3): number[] {
  const at = (axis: 0 | 1 | 2, i: number): number => low[axis] + ((high[axis] - low[axis]) * i) / counts[axis];
  const points: number[] = [];
  for (let i = 0; i <= counts[0]; i++) for (let j = 0; j <= counts[1]; j++) for (let k = 0; k <= counts[2]; k++) points.push(at(0, i), at(1, j), at(2, k));
  return points;
}
/** The bar of the engine's own tests: 1 × 0.2 × 0.2 m of 20 × 4 × 4 cells. */
const BAR = Float32Array.from(grid([-0.5, -0.1, -0.1], [0.5, 0.1, 0.1], [20, 4, 4]));
const of = (act: Table, more: Table = {}) => ({ act: Object.keys(act)[0] as 'bend', json: { kind: 'metaphor', act, newton: 10, ...more } as Table });
const upright = frameOf([0, 0, 0], [1, 0, 0], [0, 1, 0])!;

describe('regions', () => {
  it('hold the points that the engine finds in them', () => {
    // Seven layers of 25 points lie between 0.2 and 0.5; in a ball of 0.19 m all within it count, rims too.
    expect(pointsIn(partsOf(of({ stretch: { near: 0.19, far: 0.6, radius: 0.2 } })), upright, BAR).map(({ length: n }) => n)).toEqual([175, 175]);
    const balls = pointsIn(partsOf(of({ bend: { arm: 0.4, radius: 0.19 } })), upright, BAR);
    const within = (x: number): number => [...Array(BAR.length / 3).keys()].filter((i) => Math.hypot(BAR[3 * i]! - x, BAR[3 * i + 1]!, BAR[3 * i + 2]!) <= 0.19).length;
    expect(balls.map(({ length: n }) => n)).toEqual([within(-0.4), within(0.4), within(0)]);
    expect(within(0), '25 at 0, twice 25 at 0.05 and 0.1, twice 21 at 0.15').toBe(167);
    const custom = partsOf(of({ custom: [{ region: { box: { min: [-0.01, -1, -1], max: [0.12, 1, 1] } }, push: { away: 2 } }, { region: { set: 'tip' }, push: { along: [0, 1, 0] } }] }));
    expect(pointsIn(custom, upright, BAR, () => [3, 4]).map(({ length: n }) => n)).toEqual([75, 2]);
  });

  it('are pushed as the engine pushes them', () => {
    const [base, tip, pivot] = partsOf(of({ bend: { arm: 0.4, radius: 0.1, angle_deg: 90 } }));
    expect(pushAt(base!.push, [0, 0, 0]).map((c) => Number(c.toFixed(6)))).toEqual([0.707107, 0.707107, 0]);
    expect(pushAt(tip!.push, [0, 0, 0])[0]).toBeCloseTo(-Math.SQRT1_2);
    expect(pushAt(pivot!.push, [0, 0, 0])[1]).toBeCloseTo(-2 * Math.SQRT1_2);
    const [left, right] = partsOf(of({ twist: { far: 0.5, radius: 0.2, by_radius: true } }));
    expect(pushAt(right!.push, [0.3, 0.1, 0])).toEqual([0, 0, 0.5]);
    expect(pushAt(left!.push, [0.3, 0.1, 0])[2]).toBe(-0.5);
    expect(pushAt(right!.push, [0.3, 0, 0])).toEqual([0, 0, 0]);
    expect(partsOf(of({ compress: { far: 0.5, radius: 0.2 } }))[1]!.push).toEqual({ kind: 'along', way: [-1, 0, 0] });
  });

  it('take a layer of points on their faces, on both sides, and none beyond', () => {
    // Layers lie 0.05 m apart: 0.1 to 0.4 are seven of 25 points, though 0.1 and 0.4 are no round numbers in single precision.
    expect(pointsIn(partsOf(of({ stretch: { near: 0.1, far: 0.4, radius: 0.2 } })), upright, BAR).map(({ length: n }) => n)).toEqual([175, 175]);
    expect(pointsIn(partsOf(of({ stretch: { near: 0.101, far: 0.399, radius: 0.2 } })), upright, BAR).map(({ length: n }) => n)).toEqual([125, 125]);
  });

  it('are turned by a stiff disc as strongly with air about them', () => {
    const pushIn = (radius: number): number => {
      const parts = partsOf(of({ twist: { near: 0.2, far: 0.5, radius, by_radius: true } }));
      const points = pointsIn(parts, upright, BAR);
      const [, right] = fittedDiscs(parts, points, upright, BAR);
      const all = points[1]!.map((i) => length(pushAt(right!.push, [BAR[3 * i]!, BAR[3 * i + 1]!, BAR[3 * i + 2]!])));
      return all.reduce((sum, each) => sum + each, 0) / all.length;
    };
    expect(pushIn(0.15)).toBeCloseTo(1, 9);
    expect(pushIn(2)).toBeCloseTo(1, 9);
  });

  it('are pushed by arrows of their own, blended by the inverse square', () => {
    const field = [{ at: [1, 0, 0], push: [0, 1, 0] }, { at: [-1, 0, 0], push: [0, -1, 0] }];
    const [part] = partsOf(of({ custom: [{ region: { sphere: { centre: [0, 0, 0], radius: 1 } }, push: { field } }] }));
    expect(pushAt(part!.push, [1, 0, 0])).toEqual([0, 1, 0]);
    expect(pushAt(part!.push, [0.5, 0, 0])[1]).toBeCloseTo(0.8, 12);
    expect(strengthOf(part!.push)).toBe(1);
  });

  it('have outlines on themselves', () => {
    const ends: Vec3[] = [];
    outline({ kind: 'sphere', centre: [0.1, 0, 0], radius: 0.2 }, frameOf([1, 2, 3], [0, 1, 0], [1, 0, 0])!, (a, b) => ends.push(a, b));
    expect(ends.length).toBeGreaterThan(100);
    for (const at of ends) expect(length(sub(at, [1, 2.1, 3]))).toBeCloseTo(0.2, 9);
  });
});

describe('the widget', () => {
  it('goes with its vertex and turns as the body does', () => {
    const axis: Vec3 = [0.6, 0, 0.8];
    const now = Float32Array.from(BAR);
    for (let i = 0; i < BAR.length; i += 3) now.set(about([BAR[i]!, BAR[i + 1]!, BAR[i + 2]!], axis, 2.5), i);
    const turn = bestFit(BAR, now);
    for (const way of [[1, 0, 0], [0, 1, 0], [0, 0, 1]] as Vec3[]) {
      expect(length(sub(turned(turn, way), about(way, axis, 2.5)))).toBeLessThan(1e-6);
      expect(length(sub(turned(inverse(turn), turned(turn, way)), way))).toBeLessThan(1e-12);
    }
    const rest = frameOf([0.1, 0.02, 0], [1, 0, 0], [0.3, 1, 0])!;
    const { frame } = frameNow(rest, nearestPoint(BAR, rest.at), BAR, now, [5, 0, -1]);
    expect(length(sub(sub(frame.at, [5, 0, -1]), about(rest.at, axis, 2.5)))).toBeLessThan(1e-6);
    expect(dot(frame.x, about([1, 0, 0], axis, 2.5))).toBeCloseTo(1, 6);
    const place: Vec3 = [0.2, -0.1, 0.05];
    expect(length(sub(placeIn(frame, worldOf(frame, place)), place))).toBeLessThan(1e-9);
    expect(frameOf([0, 0, 0], [0, 1, 0], [0, 2, 0]), 'up along the axis').toBeNull();
  });

  it('is placed in the frame of the body itself, which turns with it', () => {
    // A wedge with a long thin end, as in the engine's test.
    const wedge = [...Array(20).keys()].flatMap((i) => {
      const x = i / 19;
      return [[-1, -0.3], [1, -0.3], [1.4, 0.2], [-1, 0.2]].flatMap(([y, z]) => [4 * x * x, y! * (1 - 0.5 * x), z!]);
    });
    const rest = Float32Array.from(wedge);
    const own = principalFrame(rest);
    expect(own.x[0]).toBeGreaterThan(0.99);
    const axis: Vec3 = [0.6, 0, 0.8];
    const moved = Float32Array.from(rest);
    for (let i = 0; i < rest.length; i += 3) moved.set(about([rest[i]!, rest[i + 1]!, rest[i + 2]!], axis, 2.5), i);
    const after = principalFrame(moved);
    for (const side of ['x', 'y', 'z'] as const) expect(length(sub(after[side], about(own[side], axis, 2.5)))).toBeLessThan(1e-4);
    const placed = restFrameOf({ json: { frame: 'principal', at: [0.5, 0, 0], along: [1, 0, 0], up: [0, 1, 0] } }, rest)!;
    expect(length(sub(placed.at, worldOf(own, [0.5, 0, 0])))).toBeLessThan(1e-9);
    expect(dot(placed.x, own.x)).toBeCloseTo(1, 9);
  });

  it('is dragged along lines', () => {
    expect(alongLine({ origin: [0.7, 5, 1], direction: [0, -1, 0] }, [0.2, 0, 0], [1, 0, 0])).toBeCloseTo(0.5);
    // Seen from its edge, from above and from the end.
    const eye = (x: number, y: number) => ({ origin: [x, y, 5] as Vec3, direction: [0, 0, -1] as Vec3 });
    expect(Math.abs(rollOf({ frame: upright }, eye(0, 0), eye(0, 0.3), [0, 0, -1], 0.3)!)).toBeCloseTo(Math.PI / 2);
    expect(rollOf({ frame: upright }, eye(0, 0.3), eye(0, 0.3), [0, 0, -1], 0.3)).toBeCloseTo(0);
    expect(rollOf({ frame: upright }, { origin: [5, 0, 0.3], direction: [-1, 0, 0] }, eye(0, 0), [-1, 0, 0], 0.3)).toBeCloseTo(Math.PI / 2);
    expect(alongLine({ origin: [0, 5, 1], direction: [1, 0, 0] }, [0.2, 0, 0], [1, 0, 0])).toBeNull();
  });
});

/** A body of a block with an ear on it, which leans over. */
const EARED = Float32Array.from([...grid([-0.5, 0, -0.5], [0.5, 1, 0.5], [8, 8, 8]), ...grid([0.25, 1.05, -0.05], [0.35, 1.8, 0.05], [3, 16, 3])]);

describe('a new metaphor', () => {
  it('lies along the limb that was picked, as wide as that is', () => {
    const limb = limbAt(EARED, [0.35, 1.45, 0]);
    expect(Math.abs(limb.along[1])).toBeGreaterThan(0.97);
    expect(limb.along[1], 'from base to tip').toBeGreaterThan(0);
    expect(limb.at[0]).toBeCloseTo(0.3, 1);
    expect(limb.radiusM).toBeGreaterThan(0.04);
    expect(limb.radiusM).toBeLessThan(0.12);
    expect(Math.abs(dot(limb.up, limb.along))).toBeLessThan(1e-9);
    expect(limb.up[0], 'away from the middle').toBeGreaterThan(0.7);
    const value = suggested('bend', limb, 1e5, [1, 97]);
    const frame = frameOf(value.at as Vec3, value.along as Vec3, value.up as Vec3)!;
    for (const part of pointsIn(partsOf({ act: 'bend', json: value }), frame, EARED)) expect(part.length).toBeGreaterThan(4);
  });

  it('bends across the view, not towards who looks at it', () => {
    const front = limbAt(BAR, [0, 0, 0.1]);
    expect(front.up[2], 'towards where it was picked').toBeCloseTo(1, 3);
    const seen = limbAt(BAR, [0, 0, 0.1], [0, 0, -1]);
    expect(seen.up[1], 'up on the screen').toBeCloseTo(1, 6);
    expect(limbAt(BAR, [0, 0, 0.1], [0, -1, 0]).up[2], 'seen from above it is across already').toBeCloseTo(1, 3);
  });

  it('keeps to one of two ears', () => {
    const two = Float32Array.from([...EARED, ...grid([0.05, 1.05, -0.05], [0.15, 1.8, 0.05], [3, 16, 3])]);
    const limb = limbAt(two, [0.35, 1.45, 0]);
    expect(limb.at[0]).toBeCloseTo(0.3, 1);
    expect(Math.abs(limb.along[1])).toBeGreaterThan(0.97);
    expect(limb.radiusM).toBeLessThan(0.12);
  });

  it('moves inwards from a tip', () => {
    const limb = limbAt(BAR, [0.5, 0, 0]);
    expect(Math.abs(limb.along[0])).toBeGreaterThan(0.99);
    expect(limb.at[0]).toBeLessThan(0.4);
    expect(limb.reachM[1]).toBeGreaterThan(limb.radiusM);
  });

  it('pushes with an eased pulse over the shot', () => {
    const pulse = easedPulse(8, 1, 97);
    expect([1, 33, 40, 49, 81, 90].map((at) => Number(numberAt(pulse, at)!.toFixed(9)))).toEqual([0, 8, 8, 8, 0, 0]);
    const [low, high] = [numberAt(pulse, 3)!, numberAt(pulse, 17)!];
    expect(low).toBeLessThan(0.3);
    expect(high).toBeCloseTo(4, 1);
  });
});

const SCENE: Json = {
  body: [
    { name: 'rabbit', director: [
      { name: 'ear', kind: 'metaphor', at: [0.3, 1.4, 0], along: [0, 1, 0], up: [1, 0, 0], act: { bend: { arm: 0.1, radius: 0.05 } }, newton: 4, balanced: true, bounded: true, paper: false, weight: 1, mute: false },
      { name: 'hold', kind: 'pin', on: 'all' },
      { name: 'head', kind: 'metaphor', along: [0, 1, 0], up: [1, 0, 0], act: { twist: { near: 0.1, far: 0.3, radius: 0.2 } }, newton: { keys: [[1, 0, { leave: [2, 1], arrive: [-2, 0] }], [20, 6]], outside: 'zero' }, mute: true },
    ] },
  ],
};
const all = () => metaphorsOf(SCENE, 'body.rabbit');

describe('a goal', () => {
  it('is wanted as the engine wants it', () => {
    const goal = { amount: 60, from: 1, at: 40, hold: 10, release: 20 };
    expect([0, 1, 20.5, 40, 50, 60, 70, 90].map((frame) => wantedAt(goal, frame))).toEqual([0, 0, 30, 60, 60, 30, 0, 0]);
    expect([50, 50.5].map((frame) => wantedAt({ ...goal, release: 0 }, frame))).toEqual([60, 0]);
  });

  it('is met or missed by what was measured', () => {
    const goal = { amount: 60, from: 1, at: 40, hold: 10, release: 20 };
    expect(offBy(goal, [[39, 10], [40, 58.8]])).toBeCloseTo(0.02);
    expect(offBy(goal, [[39, 10]])).toBeNull();
    expect(overshoot([[40, 60], [70, 1], [75, -3], [80, 1]], 70)).toBeCloseTo(0.05);
    expect(overshoot([[40, 60]], 70)).toBeNull();
  });
});

describe('what was measured', () => {
  const transport = (shown: number, value: number, recorded_to: number): Transport =>
    ({ shown, recorded_from: 1, recorded_to, stale_from: null, measures: [{ body: 0, director: 'ear', name: 'bend', unit: 'deg', value }] }) as unknown as Transport;

  it('knows under which text, and keeps it when it is seen again', () => {
    const measured = new Measured();
    let text = 'first';
    const note = (shown: number, value: number, to: number): void => measured.note(transport(shown, value, to), () => text);
    note(20, 45, 30);
    text = 'second';
    note(20, 45, 30);
    expect(measured.textAt(0, 'ear', 20), 'scrubbed back to, not simulated again').toBe('first');
    note(1, 0, 1);
    expect(measured.textAt(0, 'ear', 20), 'started again').toBeUndefined();
    note(20, 45, 20);
    expect(measured.textAt(0, 'ear', 20), 'the same number, simulated anew').toBe('second');
  });

  it('is known of the frame on screen while the stage is further', () => {
    const measured = new Measured();
    measured.note(transport(29, -35.7, 180));
    measured.note(transport(130, 18.8, 180));
    expect(measured.listAt(29)?.[0]?.value).toBe(-35.7);
    measured.note(transport(1, 0, 1));
    expect(measured.listAt(29), 'started again').toBeUndefined();
  });

  it('tells texts apart by all but the goal of a force', () => {
    const [ear] = all() as [ReturnType<typeof all>[0]];
    const goal = { amount: 45, from: 1, at: 20, by: 'force' };
    const other = (more: Table) => textOf({ json: { ...ear.json, ...more } });
    expect(other({ goal })).toBe(textOf(ear));
    expect(other({ newton: 5 })).not.toBe(textOf(ear));
    expect(other({ goal: { ...goal, by: 'inside' } })).not.toBe(other({ goal: { ...goal, by: 'inside', amount: 50 } }));
  });
});

describe('metaphors of a scene', () => {
  it('are listed with their place among directors', () => {
    expect(all().map(({ name, act, index, muted }) => [name, act, index, muted])).toEqual([['ear', 'bend', 0, false], ['head', 'twist', 2, true]]);
    expect(metaphorsOf(SCENE, null)).toEqual([]);
  });

  it('are soloed, moved and named in one step', () => {
    const [ear, head] = all() as [ReturnType<typeof all>[0], ReturnType<typeof all>[0]];
    expect(isSolo(all(), ear)).toBe(true);
    expect(soloCommand(all(), ear)).toMatchObject({ label: 'end solo ear', commands: [{ do: 'unset', path: 'body.rabbit.director.head.mute' }] });
    expect(soloCommand(all(), head)).toMatchObject({ commands: [{ do: 'set', path: 'body.rabbit.director.ear.mute', value: true }, { do: 'unset' }] });
    expect(moveCommand(all(), ear, -1)).toBeNull();
    expect(moveCommand(all(), ear, 1)).toMatchObject({ commands: [{ do: 'remove', path: 'body.rabbit.director[0]' }, { do: 'add', index: 2, value: { name: 'ear' } }] });
    const { command, path } = addCommand(SCENE, 'body.rabbit', ear.json, 'ear');
    expect(path).toBe('body.rabbit.director.ear-2');
    expect(command).toMatchObject({ do: 'add', value: { name: 'ear-2', kind: 'metaphor' } });
    expect((command as { value: Table }).value).not.toHaveProperty('balanced');
    expect(growCommand(ear, null)).toMatchObject({ path: 'body.rabbit.director.ear.act.bend', value: { arm: 0.1, radius: 0.0625 } });
  });

  it('have their regions grown in one step until each holds a point, from nothing too', () => {
    for (const one of all()) {
      for (const radius of [0, 0.0001]) {
        const small = { ...one, json: { ...one.json, act: { [one.act]: { ...sizesOf(one), radius } } } };
        const { value } = growCommand(small, EARED) as { value: Table };
        const grown = { ...small, json: { ...small.json, act: { [one.act]: value } } };
        const held = pointsIn(partsOf(grown), restFrameOf(grown, EARED)!, EARED);
        expect(held.map((points) => points.length > 0), `${one.name} from ${radius}`).toEqual(held.map(() => true));
      }
    }
  });

  it('are warned of once for all regions that hold nothing, by name', () => {
    const [ear] = all() as [ReturnType<typeof all>[0]];
    const notice = (text: string) => ({ level: 'warning', path: ear.path, text, help: null, actions: [] });
    const notices = [1, 2, 3].map((number) => notice(`region ${number} holds no point of the body`)).concat(notice('it is off the body'));
    const told = warningsOfMetaphors({ notices } as unknown as DocumentInfo, all(), () => EARED);
    expect(told.map(({ text }) => text)).toEqual(['A base, C tip and B bend hold no point of the body', 'it is off the body']);
    expect(told.map(({ mends }) => mends.map(({ name }) => name))).toEqual([['Grow its regions'], []]);
  });

  it('are mirrored: a twist goes the other way round', () => {
    const [ear, head] = all() as [ReturnType<typeof all>[0], ReturnType<typeof all>[0]];
    expect(mirrored(ear.json, 0, EARED)).toMatchObject({ at: [-0.3, 1.4, 0], along: [0, 1, 0], up: [-1, 0, 0], newton: 4 });
    const twist = mirrored(head.json, 0, EARED);
    expect(twist.newton).toEqual({ keys: [[1, 0, { leave: [2, -1], arrive: [-2, 0] }], [20, -6]], outside: 'zero' });
    expect(negated([[1, 2], [5, -3, 'smooth']])).toEqual([[1, -2], [5, 3, 'smooth']]);
    // Forces of a mirrored metaphor are the mirrored forces.
    const push = { act: 'custom' as const, json: mirrored({ act: { custom: [{ region: { sphere: { centre: [0, 0, 0.2], radius: 1 } }, push: { around: 1 } }] }, along: [0, 1, 0], up: [0, 0, 1], newton: 1 }, 0, EARED) };
    expect(partsOf(push)[0]).toMatchObject({ region: { centre: [0, 0, -0.2] }, push: { factor: -1 } });
  });

  it('are fitted to another body', () => {
    const large = Float32Array.from(EARED, (c) => 2 * c);
    expect(fitted(all()[0]!.json, EARED, large)).toMatchObject({ at: [0.6, 2.8, 0], act: { bend: { arm: 0.2, radius: 0.1 } }, newton: 16 });
    expect(middleOf(BAR).map((c) => Number(c.toFixed(6)) || 0)).toEqual([0, 0, 0]);
  });
});
