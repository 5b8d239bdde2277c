import { expect, it } from 'vitest';
import { inOtherFrame } from './fileFrame';

/** Two vertices at rest, metres: the lower one at y = −2, the one with the lowest z at −5. */
const rest = [0, -2, 3, 1, 4, -5];
const body = { skin: { mesh: 'cow.obj', unit: 'm' }, at: [1, 7, 2], material: { young_pa: 2e5 } };

it('another unit makes it smaller, as stiff for its size, and puts it on the ground', () => {
  expect(inOtherFrame('body.cow', body, rest, 'unit', 'cm')).toEqual({ do: 'batch', label: 'read cow.obj in cm', commands: [
    { do: 'set', path: 'body.cow.skin.unit', value: 'cm' },
    { do: 'set', path: 'body.cow.at', value: [1, 0.02, 2] },
    { do: 'set', path: 'body.cow.material.young_pa', value: 2000 },
  ] });
});

it('another axis turns it, and puts it on the ground', () => {
  const turned = inOtherFrame('body.cow', body, rest, 'up', 'z');
  expect(turned).toMatchObject({ commands: [{ value: 'z' }, { path: 'body.cow.at', value: [1, 5, 2] }] });
  // Read with z up, the file's y is −z at rest.
  const back = inOtherFrame('body.cow', { ...body, skin: { ...body.skin, up: 'z' } }, rest, 'up', 'y');
  expect(back).toMatchObject({ commands: [{ value: 'y' }, { value: [1, 3, 2] }] });
});
