import { describe, expect, it } from 'vitest';
import { at, bodyPathOf, entryPath, freeName, inWords, split } from './scene';

const scene = {
  body: [{ name: 'jelly', at: [0, 1, 2], director: [{ kind: 'muscle', period: 1.2 }, { name: 'hold', kind: 'pin' }] }],
  obstacle: [{ shape: 'plane' }, { name: 'ball', shape: 'sphere' }],
};

describe('paths', () => {
  it('lead to values by key, name, kind and index', () => {
    expect(split('body.jelly.at[1]')).toEqual(['body', 'jelly', 'at', 1]);
    expect(at(scene, 'body.jelly.at[2]')).toBe(2);
    expect(at(scene, 'body.jelly.director.muscle.period')).toBe(1.2);
    expect(at(scene, 'obstacle[1].shape')).toBe('sphere');
    expect(at(scene, 'obstacle.ball.shape')).toBe('sphere');
    expect(at(scene, 'body.nobody.at')).toBeUndefined();
    expect(at(scene, 'camera.eye')).toBeUndefined();
  });

  it('name things where they can', () => {
    expect(entryPath('obstacle', scene.obstacle, 1)).toBe('obstacle.ball');
    expect(entryPath('obstacle', scene.obstacle, 0)).toBe('obstacle[0]');
    expect(bodyPathOf('body.jelly.director[0].period')).toBe('body.jelly');
    expect(bodyPathOf('camera.eye')).toBeNull();
    expect(freeName('ball', ['ball', 'ball-2', null])).toBe('ball-3');
    expect([inWords('density_kg_m3'), inWords('look_at'), inWords('fov_deg')]).toEqual(['Density', 'Look at', 'Fov']);
  });
});
