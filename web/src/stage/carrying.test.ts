import { describe, expect, it } from 'vitest';
import golden from '../document/generated/carried.json';
import { type Model, readMessage } from '../client/wire';
import { SkinCarrier, restSkin, skinVertex } from './carrying';

/** As the server sent it, with where films have its skin. */
function sent(): { model: Model; flesh: Float32Array; skin: Float32Array } {
  const bytes = Uint8Array.from(golden.model.match(/../g)!, (byte) => parseInt(byte, 16));
  const message = readMessage(bytes.buffer);
  if (message.kind !== 'model') throw new Error('a model');
  return { model: message.model, flesh: Float32Array.from(golden.flesh), skin: Float32Array.from(golden.skin) };
}

const apart = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, at, i) => Math.max(most, Math.abs(at - b[i]!)), 0);

describe('carrying', () => {
  it('puts a bent skin where films have it', () => {
    const { model, flesh, skin } = sent();
    const made = new Float32Array(skin.length);
    new SkinCarrier(model).carry(flesh, made);
    expect(apart(made, skin)).toBeLessThan(1e-6);
    for (let vertex = 0; vertex < model.skinVertexCount; vertex++) {
      expect(apart(skinVertex(model, flesh, vertex), skin.subarray(3 * vertex, 3 * vertex + 3))).toBeLessThan(1e-6);
    }
  });

  it('leaves a skin at rest where it was made, and takes it along as a whole', () => {
    const { model } = sent();
    const rest = restSkin(model);
    const made = new Float32Array(rest.length);
    const carrier = new SkinCarrier(model);
    carrier.carry(model.rest, made);
    expect(apart(made, rest)).toBeLessThan(1e-6);
    // Any affine motion: here a shear and a way.
    const moved = (of: Float32Array): Float32Array => of.map((at, i) => (i % 3 === 0 ? at + 0.5 * of[i + 1]! + 2 : i % 3 === 1 ? 1.5 * at : at - 1));
    carrier.carry(moved(model.rest), made);
    expect(apart(made, moved(rest))).toBeLessThan(2e-6);
  });
});
