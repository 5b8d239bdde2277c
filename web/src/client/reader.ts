/** Reads little-endian values one after the other and never past the end. */
export class WireError extends Error {}

export class Reader {
  private readonly view: DataView;
  private at = 0;

  constructor(private readonly buffer: ArrayBuffer) {
    this.view = new DataView(buffer);
  }

  private take(bytes: number): number {
    const at = this.at;
    if (at + bytes > this.buffer.byteLength) {
      throw new WireError(`${this.buffer.byteLength} bytes, expected at least ${at + bytes}`);
    }
    this.at = at + bytes;
    return at;
  }

  u8 = (): number => this.view.getUint8(this.take(1));
  i32 = (): number => this.view.getInt32(this.take(4), true);
  u32 = (): number => this.view.getUint32(this.take(4), true);
  u64 = (): number => Number(this.view.getBigUint64(this.take(8), true));
  f32 = (): number => this.view.getFloat32(this.take(4), true);
  f64 = (): number => this.view.getFloat64(this.take(8), true);
  u8s = (count: number): Uint8Array => new Uint8Array(this.buffer, this.take(count), count);
  u32s = (count: number): Uint32Array => new Uint32Array(this.buffer, this.take(4 * count), count);
  f32s = (count: number): Float32Array => new Float32Array(this.buffer, this.take(4 * count), count);
  skip = (bytes: number): void => void this.take(bytes);
  align = (to: number): void => void this.take((to - (this.at % to)) % to);

  expectEnd(): void {
    if (this.at !== this.buffer.byteLength) {
      throw new WireError(`${this.buffer.byteLength - this.at} bytes are left over`);
    }
  }
}
