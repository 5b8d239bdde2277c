import { describe, expect, it } from 'vitest';
import { type Table, bodyPathOf, entryPath, freeName, inWords, list } from './scene';

const scene: Table = {
  body: [{ name: 'jelly', at: [0, 1, 2], director: [{ kind: 'muscle', period: 1.2 }, { name: 'hold', kind: 'pin' }] }],
  obstacle: [{ shape: 'plane' }, { name: 'ball', shape: 'sphere' }],
};

describe('paths', () => {
  it('name things where they can', () => {
    expect(entryPath('obstacle', list(scene, 'obstacle'), 1)).toBe('obstacle.ball');
    expect(entryPath('obstacle', list(scene, 'obstacle'), 0)).toBe('obstacle[0]');
    expect(list(scene, 'body.jelly.director')).toHaveLength(2);
    expect(list(scene, 'body.nobody.director')).toEqual([]);
    expect(bodyPathOf('body.jelly.director[0].period')).toBe('body.jelly');
    expect(bodyPathOf('camera.eye')).toBeNull();
    expect(freeName('ball', ['ball', 'ball-2', null])).toBe('ball-3');
    expect([inWords('density_kg_m3'), inWords('look_at'), inWords('fov_deg')]).toEqual(['Density', 'Look at', 'Fov']);
  });
});
