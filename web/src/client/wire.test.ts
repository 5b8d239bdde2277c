import { describe, expect, it } from 'vitest';
import { WIRE_VERSION } from '../document/generated/protocol';
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
  new Writer().u8(WIRE_VERSION, 2, 0, 0).i32(-3).u64(12n).f32(0.5).u32(1, 1, 0)
    .f64(1, 2, 3, 0, 0, 0, 1)
    .f64(10, 20, 30).u32(1, 0).f32(0.25, 0.5, 0.75).u8(0, 0, 0, 0);

/** One triangle over three points, the third skin vertex half way between two of them. */
const model = (start = [0, 1, 2, 4], points = [0, 1, 1, 2], triangle = [0, 1, 2], colours: number[] = [], picture: { size: [number, number]; uvs: number[]; pixels: number[] } | null = null, slopes: number[] = []): ArrayBuffer =>
  new Writer().u8(WIRE_VERSION, 1, 0, 0).u32(7, 3, 3, 4, 1, colours.length / 4, ...(picture?.size ?? [0, 0]), slopes.length / 4).u32(...start).u32(...points).f32(1, 1, 0.5, 0.5).u32(...triangle)
    .f32(0, 0, 0, 1, 0, 0, 0, 1, 0).u32(2, 0, 1).u8(...colours).u32(...(slopes.length ? [0, slopes.length / 4, slopes.length / 4, slopes.length / 4] : [])).u32(...slopes.filter((_, i) => i % 4 === 0)).f32(...slopes.filter((_, i) => i % 4 > 0)).f32(...(slopes.length ? [0, 0, 0, 1, 0, 0, 0, 1, 1] : [])).f32(...(picture?.uvs ?? [])).u8(...(picture?.pixels ?? [])).done();

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

  it('that are ghosts say whether they are on their way', () => {
    const ghost = (flag: number): unknown => {
      const bytes = new Uint8Array(frame().done());
      bytes.set([6, flag], 1);
      return readMessage(bytes.buffer);
    };
    expect([ghost(1), ghost(0)]).toMatchObject([{ kind: 'ghost', isOnItsWay: true }, { kind: 'ghost', isOnItsWay: false }]);
  });

  it('are refused at every length but the right one', () => {
    const whole = frame().done();
    for (let bytes = 0; bytes < whole.byteLength; bytes++) {
      expect(() => readMessage(whole.slice(0, bytes)), `${bytes} bytes`).toThrow(WireError);
    }
    expect(() => readMessage(frame().u8(0).done())).toThrow('left over');
  });

  it('of another version or kind are refused', () => {
    expect(() => readMessage(new Writer().u8(1, 2, 0, 0).done())).toThrow('version 1, expected 7');
    expect(() => readMessage(new Writer().u8(WIRE_VERSION, 9, 0, 0).done())).toThrow('unknown kind 9');
  });

  it('that claim more points than there are bytes are refused without allocating them', () => {
    const greedy = new Writer().u8(WIRE_VERSION, 2, 0, 0).i32(1).u64(0n).f32(0).u32(1, 0, 0).f64(0, 0, 0).u32(0xffffffff, 0);
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

  it('carry a colour a skin vertex, or none', () => {
    const colours = [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255];
    const coloured = readMessage(model(undefined, undefined, undefined, colours));
    const plain = readMessage(model());
    if (coloured.kind !== 'model' || plain.kind !== 'model') throw new Error('models');
    expect([...(coloured.model.colours ?? [])]).toEqual(colours);
    expect(plain.model.colours).toBeNull();
    expect(() => readMessage(model(undefined, undefined, undefined, colours.slice(4)))).toThrow('2 colours');
  });

  it('carry slopes and where the skin rests, or neither', () => {
    const smooth = readMessage(model(undefined, undefined, undefined, [], null, [1, 0.5, 0, 0, 2, 0, 0.25, 0]));
    const plain = readMessage(model());
    if (smooth.kind !== 'model' || plain.kind !== 'model') throw new Error('models');
    expect(plain.model.smooth).toBeNull();
    expect(smooth.model.smooth).toEqual({
      start: Uint32Array.of(0, 2, 2, 2), point: Uint32Array.of(1, 2), slope: Float32Array.of(0.5, 0, 0, 0, 0.25, 0),
      restSkin: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 1),
    });
    expect(() => readMessage(model(undefined, undefined, undefined, [], null, [3, 0.5, 0, 0]))).toThrow('not there');
  });

  it('carry a picture with a place for each corner, or none', () => {
    const picture = { size: [2, 1] as [number, number], uvs: [0, 0, 0.5, 0, 1, 1], pixels: [1, 2, 3, 255, 4, 5, 6, 255] };
    const pictured = readMessage(model(undefined, undefined, undefined, [], picture));
    if (pictured.kind !== 'model') throw new Error('a model');
    expect(pictured.model.picture).toEqual({ width: 2, height: 1, uvs: Float32Array.from(picture.uvs), pixels: Uint8Array.from(picture.pixels) });
    expect(() => readMessage(model(undefined, undefined, undefined, [], { ...picture, pixels: picture.pixels.slice(4) }))).toThrow(WireError);
  });

  it('with indices that lead nowhere are refused', () => {
    expect(() => readMessage(model([0, 2, 1, 4]))).toThrow('row 1 ends before it starts');
    expect(() => readMessage(model([0, 1, 2, 3]))).toThrow('cover');
    expect(() => readMessage(model(undefined, [0, 1, 1, 3]))).toThrow('point');
    expect(() => readMessage(model(undefined, undefined, [0, 1, 3]))).toThrow('missing vertex');
  });
});

describe('fields and sections', () => {
  const field = (look: number, components: number): ArrayBuffer =>
    new Writer().u8(WIRE_VERSION, 3, 0, 0).u32(1, look).i32(4).u32(components, 2).f32(-1, 1).f32(0.25, 0.5).done();
  const section = (corner: number): ArrayBuffer =>
    new Writer().u8(WIRE_VERSION, 4, 0, 0).u32(1).i32(4).u32(1, 1, 2).f32(1, 2, 3, 4, 5, 6, 7).u32(0, 0, corner).f32(-1, 1).done();

  it('are read as they were written', () => {
    expect(readMessage(field(4, 1))).toEqual({
      kind: 'field',
      field: { body: 1, look: 'phase', frame: 4, components: 1, low: -1, high: 1, values: Float32Array.of(0.25, 0.5) },
    });
    expect(readMessage(section(0))).toMatchObject({
      section: { world: Float32Array.of(1, 2, 3), rest: Float32Array.of(4, 5, 6), values: Float32Array.of(7), side: Float32Array.of(-1, 1) },
    });
  });

  it('that make no sense are refused', () => {
    expect(() => readMessage(field(99, 1))).toThrow('unknown look 99');
    expect(() => readMessage(field(4, 2))).toThrow('2 components');
    expect(() => readMessage(field(4, 3))).toThrow(WireError);
    expect(() => readMessage(section(1))).toThrow('missing point');
  });
});
