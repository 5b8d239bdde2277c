/** Lists of numbers as float textures that shaders look up by index. */
import {
  ClampToEdgeWrapping, DataTexture, FloatType, NearestFilter, RGBAFormat, RGFormat, type Texture, WebGLRenderTarget,
} from 'three';

/** Width of every table: entry i is at column i mod TABLE_WIDTH. WebGL 2 promises 2048 in both directions. */
export const TABLE_WIDTH = 2048;

const rows = (count: number): number => Math.max(1, Math.ceil(count / TABLE_WIDTH));

/** Pairs of numbers. Indices are exact in floats up to 16 million. */
export function pairTable(count: number, pair: (i: number) => [number, number]): DataTexture {
  const data = new Float32Array(2 * TABLE_WIDTH * rows(count));
  for (let i = 0; i < count; i++) data.set(pair(i), 2 * i);
  return plain(new DataTexture(data, TABLE_WIDTH, rows(count), RGFormat, FloatType));
}

/** Four numbers each. */
export function quadTable(count: number, quad: (i: number) => [number, number, number, number]): DataTexture {
  const data = new Float32Array(4 * TABLE_WIDTH * rows(count));
  for (let i = 0; i < count; i++) data.set(quad(i), 4 * i);
  return plain(new DataTexture(data, TABLE_WIDTH, rows(count), RGBAFormat, FloatType));
}

/** Points that change: fill with [`setPoints`]. */
export function pointTable(count: number): DataTexture {
  const data = new Float32Array(4 * TABLE_WIDTH * rows(count));
  return plain(new DataTexture(data, TABLE_WIDTH, rows(count), RGBAFormat, FloatType));
}

export function setPoints(table: DataTexture, points: Float32Array): void {
  const data = table.image.data as Float32Array;
  for (let from = 0, to = 0; from < points.length; from += 3, to += 4) {
    data[to] = points[from]!;
    data[to + 1] = points[from + 1]!;
    data[to + 2] = points[from + 2]!;
  }
  table.needsUpdate = true;
}

/** Fills a table of pairs anew. */
export function setPairs(table: DataTexture, pair: (i: number) => [number, number]): void {
  const data = table.image.data as Float32Array;
  for (let i = 0; 2 * i < data.length; i++) [data[2 * i], data[2 * i + 1]] = pair(i);
  table.needsUpdate = true;
}

/** A table that a shader writes. */
export function drawnTable(count: number): WebGLRenderTarget {
  const target = new WebGLRenderTarget(TABLE_WIDTH, rows(count), {
    type: FloatType, format: RGBAFormat, depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter,
  });
  plain(target.texture);
  return target;
}

/** GLSL to look an entry up. */
export const TABLE_GLSL = /* glsl */ `
vec4 tableEntry(highp sampler2D table, float index) {
  int i = int(index + 0.5);
  return texelFetch(table, ivec2(i % ${TABLE_WIDTH}, i / ${TABLE_WIDTH}), 0);
}
`;

function plain<T extends Texture>(texture: T): T {
  texture.minFilter = NearestFilter;
  texture.magFilter = NearestFilter;
  texture.wrapS = ClampToEdgeWrapping;
  texture.wrapT = ClampToEdgeWrapping;
  texture.generateMipmaps = false;
  texture.needsUpdate = true;
  return texture;
}
