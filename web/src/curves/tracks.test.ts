import { describe, expect, it } from 'vitest';
import type { Json } from '../document/generated/protocol';
import { tracksIn } from './tracks';

describe('keyed numbers', () => {
  const swim: Json = {
    name: 'swim', kind: 'muscle', weight: [[1, 0], [12, 1]], primary: [[0, 1], [0.5, 0.6]],
    phase: { path: [[0, 0.42, 0], [0, 0, 0]], paint: [{ stroke: [[0, 0, 0], [1, 0, 0]], value: 1 }] },
  };
  const scene: Json = {
    body: [{ name: 'jelly', at: [0, 1, 0], director: [swim] }],
    obstacle: [{ at: [[[1, 0], [9, 2, 'smooth']], 0, 0] }],
    camera: { fov_deg: { keys: [[1, 30], [20, 40]], outside: { cycle: 40 } } },
  };

  it('are found where they are, and charts and points are none', () => {
    expect(tracksIn(scene, '').map(({ path, name }) => [path, name])).toEqual([
      ['body.jelly.director.swim.weight', 'jelly · swim · Weight'],
      ['obstacle[0].at[0]', '1 · At · x'],
      ['camera.fov_deg', 'Camera · Fov'],
    ]);
  });

  it('of a part have paths from the root', () => {
    expect(tracksIn(swim, 'body.jelly.director.swim').map(({ path }) => path)).toEqual(['body.jelly.director.swim.weight']);
  });
});
