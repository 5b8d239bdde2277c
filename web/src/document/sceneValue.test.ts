import { expect, it } from 'vitest';
import type { Json } from './generated/protocol';
import { valueAt } from './sceneValue';

const scene: Json = {
  scene: { fps: 24 },
  body: [
    { name: 'a', at: [1, 2, 3] },
    { name: 'b', director: [{ kind: 'pin', on: 'top' }, { kind: 'force', name: 'push', newton: [0, 5, 0] }] },
  ],
};

it('names, kinds and indices lead to values', () => {
  expect(valueAt(scene, 'scene.fps')).toBe(24);
  expect(valueAt(scene, 'body.a.at[2]')).toBe(3);
  expect(valueAt(scene, 'body[1].director.push.newton[1]')).toBe(5);
  expect(valueAt(scene, 'body.b.director.pin.on')).toBe('top');
  expect(valueAt(scene, 'body.c.at')).toBeUndefined();
  expect(valueAt(scene, 'scene.fps.deep[1]')).toBeUndefined();
});
