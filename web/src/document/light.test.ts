import { describe, expect, it } from 'vitest';
import { USUAL_LIGHT, lightAt } from './light';

describe('the light', () => {
  it('is the usual one where the scene says nothing, or nothing that has a direction', () => {
    expect(lightAt({}, 1)).toEqual(USUAL_LIGHT);
    expect(lightAt({ light: { from: [0, 0, 0] } }, 1).from).toEqual(USUAL_LIGHT.from);
  });

  it('follows its keys, and has a colour in either way of writing', () => {
    const light = { from: [[[1, 0], [11, 1]], 2, 0], strength: [[1, 1], [11, 3]], ambient: 0.1, colour: '#ff8000' };
    expect(lightAt({ light }, 6)).toEqual({ from: [0.5, 2, 0], strength: 2, ambient: 0.1, colour: [1, 128 / 255, 0] });
    expect(lightAt({ light: { ...light, colour: [1, 0.5, 0] } }, 6).colour).toEqual([1, 0.5, 0]);
  });
});
