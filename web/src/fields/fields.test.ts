import { describe, expect, it } from 'vitest';
import type { Json } from '../document/generated/protocol';
import type { Vec3 } from '../document/vector';
import { dot, length, sub } from '../document/vector';
import { drawnCut, facingCut, isStraight, normalOf, throughOf } from './cutPlane';
import { smoothed } from './paint/smooth';
import { canvasOf, muscleOf } from './muscle';
import { type Act, actAt, actsOf, addAct, addActs, moveAct, removeAct, thinned, valueInWords, whyNot } from './paints';

const SCENE: Json = {
  body: [
    { name: 'jelly', director: [
      { name: 'swim', kind: 'muscle', period: 1.2, primary: [[0, 1]], fibres: { around: 'y' }, amplitude: 1, phase: { path: [[0, 1, 0], [0, 0, 0]] } },
      { kind: 'pin', on: 'foot' },
    ] },
    { name: 'stone' },
  ],
};
const muscle = () => muscleOf(SCENE, 'body.jelly', null)!;

describe('the muscle that is painted', () => {
  it('is the selected one, or the first of the body', () => {
    expect(muscle().path).toBe('body.jelly.director.swim');
    expect(muscleOf(SCENE, 'body.jelly', 'body.jelly.director[1]')!.path).toBe('body.jelly.director.swim');
    expect(muscleOf(SCENE, 'body.stone', null)).toBeNull();
    expect(muscleOf(SCENE, 'body.gone', null)).toBeNull();
  });
});

describe('acts of painting', () => {
  const stroke = { stroke: [[0, 0, 0], [1, 0, 0]] as Vec3[], value: 0.3 };

  it('go where their field keeps them; an even amplitude becomes a field', () => {
    expect(addAct(muscle(), 'layer', stroke)).toEqual({ do: 'add', to: 'body.jelly.director.swim.layer', value: stroke });
    expect(addAct(muscle(), 'phase', stroke)).toEqual({ do: 'add', to: 'body.jelly.director.swim.phase.paint', value: stroke });
    expect(addAct(muscle(), 'directions', stroke.stroke)).toEqual({ do: 'add', to: 'body.jelly.director.swim.fibres.strokes', value: stroke.stroke });
    expect(addAct(muscle(), 'amplitude', stroke)).toEqual({ do: 'set', path: 'body.jelly.director.swim.amplitude', value: { along: 'y', from: 1, to: 1, paint: [stroke] } });
  });

  it('leave the format valid when the last one goes', () => {
    const with1 = (json: object) => ({ ...muscle(), json: { ...muscle().json, ...json } });
    const at = 'body.jelly.director.swim';
    expect(removeAct(with1({ layer: [stroke] }), 'layer', 0, 'y')).toEqual({ do: 'unset', path: `${at}.layer` });
    expect(removeAct(with1({ layer: [stroke, stroke] }), 'layer', 1, 'y')).toEqual({ do: 'remove', path: `${at}.layer[1]` });
    expect(removeAct(with1({ phase: { path: [], paint: [stroke] } }), 'phase', 0, 'y')).toEqual({ do: 'unset', path: `${at}.phase.paint` });
    expect(removeAct(with1({ phase: { paint: [stroke] } }), 'phase', 0, 'y')).toEqual({ do: 'unset', path: `${at}.phase` });
    expect(removeAct(with1({ fibres: { strokes: [stroke.stroke] } }), 'directions', 0, 'x')).toEqual({ do: 'set', path: `${at}.fibres`, value: { along: 'x' } });
    expect(removeAct(with1({ fibres: { around: 'y', strokes: [stroke.stroke] } }), 'directions', 0, 'x')).toEqual({ do: 'unset', path: `${at}.fibres.strokes` });
  });

  it('change places as one step', () => {
    const two = { ...muscle(), json: { ...muscle().json, layer: [stroke, { ...stroke, value: 1 }] } };
    expect(moveAct(two, 'layer', 1, 0)).toMatchObject({ do: 'batch', commands: [
      { do: 'remove', path: 'body.jelly.director.swim.layer[1]' },
      { do: 'add', to: 'body.jelly.director.swim.layer', value: { ...stroke, value: 1 }, index: 0 },
    ] });
  });

  it('are erased where they lie: the last line in reach, else the nearest fill', () => {
    const line: Act = { kind: 'stroke', name: '', value: 0, points: [[0, 0, 0], [1, 0, 0]] };
    const flat: Act = { kind: 'flat', name: '', value: 0, points: [[0, 5, 0]] };
    const face: Act = { kind: 'face', name: '', value: 0, points: [[9, 0, 0]] };
    expect(actAt([line, flat, line, face], [0.5, 0.05, 0], 0.1)).toBe(2);
    expect(actAt([line, flat, face], [0.5, 0.5, 0], 0.1)).toBe(1);
    expect(actAt([line, face], [0.5, 0.5, 0], 0.1)).toBeNull();
    expect(actsOf({ ...muscle().json, layer: [stroke, { fill: 'flat', at: [0, 0, 0], value: 1 }] }, 'layer').map((act) => act.name)).toEqual(['Stroke', 'Flat fill']);
  });

  it('have no more points than the flesh is fine', () => {
    const many = Array.from({ length: 1001 }, (_, i): Vec3 => [i / 1000, 0, 0]);
    const few = thinned(many, 0.1);
    expect(few.length).toBeLessThan(13);
    expect([few[0], few.at(-1)]).toEqual([[0, 0, 0], [1, 0, 0]]);
  });
});

describe('painted stiffness', () => {
  const act = { stroke: [[0, 0, 0], [1, 0, 0]] as Vec3[], value: 10 };
  const stone = () => canvasOf(SCENE, 'body.stone', null)!;

  it('is of the body’s material, with a muscle or without', () => {
    const path = 'body.stone.material.fields.stiffness';
    expect(stone().path).toBeNull();
    expect(addActs(stone(), 'stiffness', [act, act])).toEqual([
      { do: 'set', path, value: { paint: [act] } },
      { do: 'add', to: `${path}.paint`, value: act },
    ]);
    const painted = { ...stone(), json: { stiffness: { paint: [act] } } };
    expect(removeAct(painted, 'stiffness', 0, 'x')).toEqual({ do: 'unset', path });
    expect(actsOf(painted.json, 'stiffness')).toHaveLength(1);
    expect(valueInWords('stiffness', 0.04)).toBe('×0.04');
    expect(whyNot(stone(), 'layer')).toMatch(/no muscle/);
    expect(canvasOf(SCENE, 'body.jelly', null)!.path).toBe('body.jelly.director.swim');
  });
});

describe('smoothing', () => {
  /** Points on a line from 0 to 1, with a step from 0 to 1 in the middle. */
  const count = 101;
  const rest = Float32Array.from({ length: 3 * count }, (_, i) => (i % 3 === 0 ? i / 3 / (count - 1) : 0));
  const values = Float32Array.from({ length: count }, (_, i) => (i < count / 2 ? 0 : 1));
  const line = Array.from({ length: 21 }, (_, i): Vec3 => [0.1 + 0.04 * i, 0, 0]);

  it('makes a slope of a step, in few strokes that go on where the last one ended', () => {
    const strokes = smoothed(line, 0.3, { rest, values }, { size: 1, isFactor: false }) as { stroke: Vec3[]; value: number; to: number }[];
    expect(strokes.length).toBeGreaterThan(1);
    expect(strokes.length).toBeLessThan(7);
    expect([strokes[0]!.value, strokes.at(-1)!.to].map((value) => Number(value.toFixed(1)))).toEqual([0, 1]);
    strokes.slice(1).forEach((stroke, i) => {
      expect(stroke.stroke[0]).toEqual(strokes[i]!.stroke.at(-1));
      expect(stroke.value).toBe(strokes[i]!.to);
    });
    const middle = strokes.find(({ stroke }) => stroke[0]![0] <= 0.5 && stroke.at(-1)![0] >= 0.5)!;
    expect(Math.abs(middle.to - middle.value), 'no step is left').toBeLessThan(0.95);
    expect(smoothed(line.slice(0, 1), 0.3, { rest, values }, { size: 1, isFactor: false })).toEqual([]);
  });

  it('averages factors by their logarithms', () => {
    const factors = values.map((value) => (value ? 100 : 1));
    const at: Vec3[] = [[0.495, 0, 0], [0.505, 0, 0]];
    const [stroke] = smoothed(at, 0.3, { rest, values: factors }, { size: 100, isFactor: true }) as { value: number }[];
    expect(stroke!.value).toBeGreaterThan(7);
    expect(stroke!.value).toBeLessThan(13);
  });
});

describe('a cut', () => {
  const ball = { centre: { x: 1, y: 2, z: 3 }, radiusM: 0.5 };

  it('faces the eye through the middle', () => {
    const cut = facingCut(0, ball, [0, 0, -1]);
    expect(dot(normalOf(cut), [0, 0, 1])).toBeCloseTo(1, 12);
    expect(throughOf(cut)).toEqual([1, 2, 3]);
  });

  it('drawn across the view holds both rays and takes away what lies to the left of the line', () => {
    // Looking along −z, from left to right, a little above the middle: up is to the left.
    const from = { origin: [0, 2.2, 8] as Vec3, direction: [0, 0, -1] as Vec3 };
    const to = { origin: [2, 2.2, 8] as Vec3, direction: [0, 0, -1] as Vec3 };
    const cut = drawnCut(0, ball, from, to)!;
    const normal = normalOf(cut);
    expect(normal[1]).toBeCloseTo(1, 6);
    for (const place of [[0, 2.2, 3], [2, 2.2, -4]] as Vec3[]) expect(dot(sub(place, throughOf(cut)), normal)).toBeCloseTo(0, 3);
    expect(length(normal)).toBeCloseTo(1, 12);
  });

  it('is straight where the hand only shook', () => {
    const line = (bend: number) => [0, 50, 100].map((x) => ({ x, y: x === 50 ? bend : 0 }));
    expect([isStraight(line(3)), isStraight(line(9))]).toEqual([true, false]);
  });
});
