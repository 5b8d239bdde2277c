import { describe, expect, it } from 'vitest';
import type { Json } from '../document/generated/protocol';
import { plansOf } from './read';

const scene: Json = {
  body: [{
    name: 'bar',
    director: [
      { kind: 'force', on: 'all', newton: [0, 0, 0] },
      { kind: 'plan', name: 'act', keys: [{ frame: 1 }, { frame: 9, to: 14, on: 'feet' }, { frame: 20, asset: 'assets/key-1.npz', at: [1, 0, 0] }, { frame: 12, guess: true }] },
    ],
  }],
};

describe('plans', () => {
  it('are read with what their keys hold', () => {
    const [plan] = plansOf(scene, 'body.bar');
    expect(plan!.path).toBe('body.bar.director.act');
    expect(plan!.keys.map(({ frame, to, what }) => [frame, to, what])).toEqual([[1, 1, 'Start'], [9, 14, 'feet stays'], [20, 20, 'Pose'], [12, 12, 'Guess']]);
  });

  it('are none where there is no body or no plan', () => {
    expect(plansOf(scene, null)).toEqual([]);
    expect(plansOf({ body: [{ name: 'bar' }] }, 'body.bar')).toEqual([]);
  });
});
