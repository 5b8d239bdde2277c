import { describe, expect, it } from 'vitest';
import { WireError, readMessage } from './wire';

/** Writes little-endian values one after the other. */
class Writer {
  private bytes: number[] = [];
  private put(size: number, set: (view: DataView) => void): this {
    const view = new DataView(new ArrayBuffer(size));
    set(view);
    this.bytes.push(...new Uint8Array(view.buffer));
    return this;
  }
  u8 = (...values: number[]): this => (this.bytes.push(...values), this);
  u32 = (...values: number[]): this => (values.forEach((v) => this.put(4, (d) => d.setUint32(0, v, true))), this);
  i32 = (value: number): this => this.put(4, (d) => d.setInt32(0, value, true));
  u64 = (value: bigint): this => this.put(8, (d) => d.setBigUint64(0, value, true));
  f32 = (...values: number[]): this => (values.forEach((v) => this.put(4, (d) => d.setFloat32(0, v, true))), this);
  f64 = (...values: number[]): this => (values.forEach((v) => this.put(8, (d) => d.setFloat64(0, v, true))), this);
  done = (): ArrayBuffer => Uint8Array.from(this.bytes).buffer;
}

const frame = (): Writer =>
  new Writer().u8(1, 2, 0, 0).i32(-3).u64(12n).f32(0.5).u32(1, 1, 0)
    .f64(1, 2, 3, 0, 0, 0, 1)
    .f64(10, 20, 30).u32(1, 0).f32(0.25, 0.5, 0.75).u8(0, 0, 0, 0);

/** One triangle over three points, the third skin vertex half way between two of them. */
const model = (start = [0, 1, 2, 4], points = [0, 1, 1, 2], triangle = [0, 1, 2]): ArrayBuffer =>
  new Writer().u8(1, 1, 0, 0).u32(7, 3, 3, 4, 1).u32(...start).u32(...points).f32(1, 1, 0.5, 0.5).u32(...triangle)
    .f32(0, 0, 0, 1, 0, 0, 0, 1, 0).done();

describe('frames', () => {
  it('are read as they were written', () => {
    const message = readMessage(frame().done());
    expect(message).toEqual({
      kind: 'frame',
      frame: {
        frame: -3, tick: 12, stepMs: 0.5,
        obstacles: [{ at: [1, 2, 3], turn: [0, 0, 0, 1] }],
        bodies: [{ origin: [10, 20, 30], positions: Float32Array.of(0.25, 0.5, 0.75) }],
      },
    });
  });

  it('are refused at every length but the right one', () => {
    const whole = frame().done();
    for (let bytes = 0; bytes < whole.byteLength; bytes++) {
      expect(() => readMessage(whole.slice(0, bytes)), `${bytes} bytes`).toThrow(WireError);
    }
    expect(() => readMessage(frame().u8(0).done())).toThrow('left over');
  });

  it('of another version or kind are refused', () => {
    expect(() => readMessage(new Writer().u8(2, 2, 0, 0).done())).toThrow('version 2, expected 1');
    expect(() => readMessage(new Writer().u8(1, 9, 0, 0).done())).toThrow('unknown kind 9');
  });

  it('that claim more points than there are bytes are refused without allocating them', () => {
    const greedy = new Writer().u8(1, 2, 0, 0).i32(1).u64(0n).f32(0).u32(1, 0, 0).f64(0, 0, 0).u32(0xffffffff, 0);
    expect(() => readMessage(greedy.done())).toThrow(WireError);
  });
});

describe('models', () => {
  it('are read as they were written', () => {
    const message = readMessage(model());
    if (message.kind !== 'model') throw new Error('a model');
    expect(message.model).toMatchObject({ id: 7, pointCount: 3, skinVertexCount: 3 });
    expect([...message.model.rowWeight]).toEqual([1, 1, 0.5, 0.5]);
  });

  it('with indices that lead nowhere are refused', () => {
    expect(() => readMessage(model([0, 2, 1, 4]))).toThrow('row 1 ends before it starts');
    expect(() => readMessage(model([0, 1, 2, 3]))).toThrow('cover');
    expect(() => readMessage(model(undefined, [0, 1, 1, 3]))).toThrow('point');
    expect(() => readMessage(model(undefined, undefined, [0, 1, 3]))).toThrow('missing vertex');
  });
});
