import { describe, expect, it } from 'vitest';
import type { Model } from '../client/wire';
import type { Vec3 } from '../document/vector';
import { LOOK_STYLES, colourAt, stopsOf } from './colourMaps';
import { SurfaceDirections, spreadTriangles } from './directions';
import { FieldPaint } from './fieldPaint';
import { Pane, layOut } from './pane';
import { PointGrid } from './pointGrid';
import { SkinPicker } from './skinPicker';

/** A unit square of two triangles in the plane z = 0, one flesh point a vertex. */
const SQUARE: Model = {
  id: 0, pointCount: 4, skinVertexCount: 4, rowStart: Uint32Array.of(0, 1, 2, 3, 4), rowPoint: Uint32Array.of(0, 1, 2, 3),
  rowWeight: Float32Array.of(1, 1, 1, 1), triangles: Uint32Array.of(0, 1, 2, 0, 2, 3), rest: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0), smooth: null, colours: null, picture: null, numbers: Uint32Array.of(0, 1, 2, 3),
};

describe('colour maps', () => {
  it('are read from the tokens as the browser paints them', () => {
    const stops = stopsOf('linear-gradient(90deg, #000000, #ff0000 50%, #00ff00, #0000ff)');
    expect(stops.map(({ at }) => at)).toEqual([0, 0.5, 0.75, 1]);
    expect(colourAt(stops, 0.25)).toEqual([127.5, 0, 0]);
    expect([colourAt(stops, -1), colourAt(stops, 2)]).toEqual([[0, 0, 0], [0, 0, 255]]);
  });

  it('show exact ends apart for layers only', () => {
    expect(Object.values(LOOK_STYLES).filter((style) => style.exact).map((style) => style.name)).toEqual(['Layers']);
    const paint = new FieldPaint();
    const token = (name: string): string => (name.startsWith('--map') && !name.endsWith('0') && !name.endsWith('1') ? 'linear-gradient(90deg, #000, #fff)' : '#123456');
    paint.setTheme(token);
    paint.choose('layer');
    expect([paint.uniforms.fieldLowest.value.w, paint.uniforms.fieldHighest.value.w]).toEqual([1, 1]);
    paint.choose('contraction');
    expect([paint.uniforms.fieldLowest.value.w, paint.uniforms.fieldHighest.value.w]).toEqual([0, 0]);
    paint.span('contraction', -1e-9, 0);
    expect(paint.rangeOf('contraction').map(Math.exp).map((rate) => rate.toFixed(2)), 'rest is not blown up').toEqual(['0.91', '1.10']);
    paint.span('contraction', -0.2, 0.2);
    expect(paint.rangeOf('contraction')).toEqual([-0.2, 0.2]);
    paint.span('amplitude', -9, 9);
    expect(paint.rangeOf('amplitude')).toEqual([-1, 1]);
    paint.choose('amplitude');
    paint.choose('contraction');
    expect(paint.uniforms.fieldRange.value.toArray(), 'each look keeps its own range').toEqual([-0.2, 0.2]);
  });
});

describe('picking', () => {
  const flesh = { origin: [10, 0, 0] as Vec3, positions: Float32Array.from(SQUARE.rest, (c) => 2 * c) };

  it('finds the place on the moved skin, and where it was at rest', () => {
    const picker = new SkinPicker(SQUARE, SQUARE.rest);
    picker.setFlesh(flesh);
    const hit = picker.hit({ origin: [11, 0.5, 5], direction: [0, 0, -1] })!;
    expect(hit.at).toEqual([11, 0.5, 0]);
    expect(hit.atRest).toEqual([0.5, 0.25, 0]);
    expect(hit.normal).toEqual([0, 0, 1]);
    expect(picker.hit({ origin: [13, 0.5, 5], direction: [0, 0, -1] })).toBeNull();
    expect(picker.place(hit.corners, hit.weights)).toEqual([11, 0.5, 0]);
  });

  it('goes through what is cut away', () => {
    const picker = new SkinPicker(SQUARE, SQUARE.rest);
    picker.setFlesh(flesh);
    picker.setSides(Float32Array.of(-1, 1, 1, -1)); // what lies to the right of the middle is gone
    expect(picker.hit({ origin: [11.5, 0.5, 5], direction: [0, 0, -1] })).toBeNull();
    expect(picker.hit({ origin: [10.5, 0.5, 5], direction: [0, 0, -1] })).not.toBeNull();
    expect([picker.isGone(0), picker.isGone(1)]).toEqual([false, true]);
    picker.setSides(null);
    expect(picker.hit({ origin: [11.5, 0.5, 5], direction: [0, 0, -1] })).not.toBeNull();
  });

  it('finds the nearest of many points, as trying all would', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const points = Float32Array.from({ length: 900 }, () => random());
    const grid = new PointGrid(points);
    for (let n = 0; n < 50; n++) {
      const at: Vec3 = [3 * random() - 1, 3 * random() - 1, 3 * random() - 1];
      const away = (i: number): number => Math.hypot(...[0, 1, 2].map((c) => points[3 * i + c]! - at[c]!));
      const best = Array.from({ length: 300 }, (_, i) => away(i)).reduce((least, d) => Math.min(least, d), Infinity);
      expect(away(grid.nearest(at))).toBeCloseTo(best, 12);
    }
  });
});

describe('directions', () => {
  it('turn and stretch with the surface they lie on, and vanish where it is cut away', () => {
    const lines = new SurfaceDirections(SQUARE.rest, SQUARE.triangles, 0.3, () => 0);
    expect(lines.count).toBe(2);
    // Turned by a quarter about z: x becomes y.
    const turned = Float32Array.from({ length: 12 }, (_, i) => [-SQUARE.rest[i + 1]!, SQUARE.rest[i - 1]!, 0][i % 3]!);
    const out = new Float32Array(12);
    lines.write(turned, [0, 0, 0], Float32Array.of(1, 0, 0), () => false, out, 0);
    const along = [0, 1, 2].map((c) => out[3 + c]! - out[c]!);
    expect(Math.abs(along[1]! / Math.hypot(...along))).toBeCloseTo(1, 6);
    lines.write(turned, [0, 0, 0], Float32Array.of(1, 0, 0), () => true, out, 0);
    expect([...out.subarray(0, 3)]).toEqual([...out.subarray(3, 6)]);
  });

  it('lie apart', () => {
    expect(spreadTriangles(SQUARE.rest, SQUARE.triangles, 5)).toEqual([0]);
  });
});

describe('views', () => {
  it('share the canvas without gaps or overlap', () => {
    const boxes = layOut(4, 801, 601);
    expect(boxes.reduce((area, { width, height }) => area + width * height, 0)).toBe(800 * 600);
    expect(layOut(1, 800, 600)).toEqual([{ left: 0, top: 0, width: 800, height: 600 }]);
  });

  it('project a point where its ray goes, parallel or in perspective', () => {
    for (const kind of ['perspective', 'front', 'side', 'top'] as const) {
      const pane = new Pane(kind);
      pane.box = { left: 400, top: 100, width: 400, height: 300 };
      const ray = pane.ray(520, 180);
      for (const along of [3, 9]) {
        const point = ray.origin.map((c, i) => c + along * ray.direction[i]!) as Vec3;
        const pixel = pane.pixelOf(point);
        expect(pixel.x).toBeCloseTo(520, 4);
        expect(pixel.y).toBeCloseTo(180, 4);
      }
    }
  });
});
