/**
 * Makes skin from flesh on the GPU (see `carrying.ts`): one pass finds how the flesh is stretched at its points, one carries each skin
 * vertex by its row of them, and one sums the triangle areas around each split vertex into its normal. They land in tables that the body's material reads, so a frame costs
 * the upload of its flesh and nothing else. Rows may have any number of terms. Another pass spreads what is known per
 * flesh point (a field's value, the side of a cut) over the skin in the same way; it runs when those change.
 */
import {
  type DataTexture, GLSL3, Mesh, NoBlending, OrthographicCamera, PlaneGeometry, RawShaderMaterial, Scene,
  type WebGLRenderTarget, type WebGLRenderer,
} from 'three';
import type { Model, SmoothMap } from '../client/wire';
import { levers } from './carrying';
import type { SmoothSkin } from './smoothing';
import { TABLE_GLSL, TABLE_WIDTH, drawnTable, pairTable, pointTable, quadTable, setPairs, setPoints } from './tables';

const HEAD = /* glsl */ `
precision highp float;
precision highp sampler2D;
out vec4 result;
${TABLE_GLSL}
float myIndex() { return floor(gl_FragCoord.y) * ${TABLE_WIDTH}.0 + floor(gl_FragCoord.x); }
`;

const POSITIONS = /* glsl */ `${HEAD}
uniform sampler2D flesh, rowRanges, terms;
void main() {
  vec2 range = tableEntry(rowRanges, myIndex()).xy;
  vec3 sum = vec3(0.0);
  for (float term = range.x; term < range.y; term++) {
    vec2 pointAndWeight = tableEntry(terms, term).xy;
    sum += tableEntry(flesh, pointAndWeight.x).xyz * pointAndWeight.y;
  }
  result = vec4(sum, 1.0);
}`;

/** Three entries a flesh point: the columns of F. */
const STRETCHES = /* glsl */ `${HEAD}
uniform sampler2D flesh, slopeRanges, slopes;
void main() {
  float me = myIndex();
  float point = floor((me + 0.5) / 3.0);
  int column = int(me - 3.0 * point + 0.5);
  vec3 here = tableEntry(flesh, point).xyz;
  vec2 range = tableEntry(slopeRanges, point).xy;
  vec3 sum = vec3(0.0);
  for (float k = range.x; k < range.y; k++) {
    vec4 slopeAndPoint = tableEntry(slopes, k);
    sum += (tableEntry(flesh, slopeAndPoint.w).xyz - here) * slopeAndPoint[column];
  }
  result = vec4(sum, 1.0);
}`;

const SMOOTH_POSITIONS = /* glsl */ `${HEAD}
uniform sampler2D flesh, rowRanges, terms, stretches, rest, levers;
void main() {
  float me = myIndex();
  vec2 range = tableEntry(rowRanges, me).xy;
  vec3 lever = tableEntry(levers, me).xyz;
  vec3 sum = vec3(0.0);
  for (float term = range.x; term < range.y; term++) {
    vec2 pointAndWeight = tableEntry(terms, term).xy;
    float point = pointAndWeight.x;
    vec3 arm = lever - 0.5 * tableEntry(rest, point).xyz;
    vec3 at = tableEntry(flesh, point).xyz + tableEntry(stretches, 3.0 * point).xyz * arm.x
      + tableEntry(stretches, 3.0 * point + 1.0).xyz * arm.y + tableEntry(stretches, 3.0 * point + 2.0).xyz * arm.z;
    sum += at * pointAndWeight.y;
  }
  result = vec4(sum, 1.0);
}`;

const MARKS = /* glsl */ `${HEAD}
uniform sampler2D marks, rowRanges, terms;
void main() {
  vec2 range = tableEntry(rowRanges, myIndex()).xy;
  vec2 sum = vec2(0.0);
  for (float term = range.x; term < range.y; term++) {
    vec2 pointAndWeight = tableEntry(terms, term).xy;
    sum += tableEntry(marks, pointAndWeight.x).xy * pointAndWeight.y;
  }
  result = vec4(sum, 0.0, 1.0);
}`;

const NORMALS = /* glsl */ `${HEAD}
uniform sampler2D positions, vertexOf, ringRanges, ring;
void main() {
  float me = myIndex();
  vec3 here = tableEntry(positions, tableEntry(vertexOf, me).x).xyz;
  vec2 range = tableEntry(ringRanges, me).xy;
  vec3 sum = vec3(0.0);
  for (float k = range.x; k < range.y; k++) {
    vec2 others = tableEntry(ring, k).xy;
    sum += cross(tableEntry(positions, others.x).xyz - here, tableEntry(positions, others.y).xyz - here);
  }
  float size = length(sum);
  result = vec4(size > 0.0 ? sum / size : vec3(0.0, 1.0, 0.0), 1.0);
}`;

/** The fixed tables of a model; bodies that are copies of each other share them. */
export class SkinTables {
  readonly rowRanges: DataTexture;
  readonly terms: DataTexture;
  readonly vertexOf: DataTexture;
  readonly ringRanges: DataTexture;
  readonly ring: DataTexture;
  /** None where skin vertices are the sums of their rows. */
  readonly carrying: CarryingTables | null;

  constructor(
    readonly model: Model,
    readonly smooth: SmoothSkin,
  ) {
    const { rowStart, rowPoint, rowWeight, skinVertexCount } = model;
    const { vertexOf, ringStart, ring } = smooth;
    this.rowRanges = pairTable(skinVertexCount, (i) => [rowStart[i]!, rowStart[i + 1]!]);
    this.terms = pairTable(rowPoint.length, (i) => [rowPoint[i]!, rowWeight[i]!]);
    this.vertexOf = pairTable(vertexOf.length, (i) => [vertexOf[i]!, 0]);
    this.ringRanges = pairTable(vertexOf.length, (i) => [ringStart[i]!, ringStart[i + 1]!]);
    this.ring = pairTable(ring.length / 2, (i) => [ring[2 * i]!, ring[2 * i + 1]!]);
    this.carrying = model.smooth && carryingTables(model, model.smooth);
  }

  dispose(): void {
    for (const table of [this.rowRanges, this.terms, this.vertexOf, this.ringRanges, this.ring]) table.dispose();
    for (const table of Object.values(this.carrying ?? {})) table.dispose();
  }
}

type CarryingTables = Record<'slopeRanges' | 'slopes' | 'rest' | 'levers', DataTexture>;

function carryingTables(model: Model, map: SmoothMap): CarryingTables {
  const { start, point, slope } = map;
  const [rest, arms] = [pointTable(model.pointCount), pointTable(model.skinVertexCount)];
  setPoints(rest, model.rest);
  setPoints(arms, levers(model, map));
  return {
    slopeRanges: pairTable(model.pointCount, (i) => [start[i]!, start[i + 1]!]),
    slopes: quadTable(point.length, (i) => [slope[3 * i]!, slope[3 * i + 1]!, slope[3 * i + 2]!, point[i]!]),
    rest,
    levers: arms,
  };
}

/** One body's skin. */
export class SkinMaker {
  readonly positions: WebGLRenderTarget;
  readonly normals: WebGLRenderTarget;
  /** Per skin vertex: the field's value, and the side of the cut (positive is taken away). */
  readonly marks: WebGLRenderTarget;
  private readonly flesh: DataTexture;
  private readonly fleshMarks: DataTexture;
  private readonly stretches: WebGLRenderTarget | null;
  private readonly stretchPass: Pass | null;
  private readonly positionPass: Pass;
  private readonly normalPass: Pass;
  private readonly markPass: Pass;
  private stale = false;
  private marksStale = true;

  constructor(tables: SkinTables) {
    const { model, smooth, rowRanges, terms, vertexOf, ringRanges, ring, carrying } = tables;
    this.flesh = pointTable(model.pointCount);
    this.positions = drawnTable(model.skinVertexCount);
    this.normals = drawnTable(smooth.vertexOf.length);
    this.fleshMarks = pairTable(model.pointCount, () => [0, -1]);
    this.marks = drawnTable(model.skinVertexCount);
    this.markPass = new Pass(MARKS, { marks: this.fleshMarks, rowRanges, terms });
    const rows = { flesh: this.flesh, rowRanges, terms };
    this.stretches = carrying && drawnTable(3 * model.pointCount);
    this.stretchPass = carrying && new Pass(STRETCHES, { flesh: this.flesh, slopeRanges: carrying.slopeRanges, slopes: carrying.slopes });
    this.positionPass = this.stretches && carrying
      ? new Pass(SMOOTH_POSITIONS, { ...rows, stretches: this.stretches.texture, rest: carrying.rest, levers: carrying.levers })
      : new Pass(POSITIONS, rows);
    this.normalPass = new Pass(NORMALS, { positions: this.positions.texture, vertexOf, ringRanges, ring });
  }

  setFlesh(points: Float32Array): void {
    setPoints(this.flesh, points);
    this.stale = true;
  }

  /** One number per flesh point each; none for all at 0, or all kept. */
  setMarks(values: Float32Array | null, sides: Float32Array | null): void {
    setPairs(this.fleshMarks, (i) => [values?.[i] ?? 0, sides?.[i] ?? -1]);
    this.marksStale = true;
  }

  /** Runs the passes whose input has changed since. */
  update(renderer: WebGLRenderer): void {
    if (this.marksStale) {
      this.marksStale = false;
      this.markPass.draw(renderer, this.marks);
    }
    if (!this.stale) return;
    this.stale = false;
    if (this.stretches) this.stretchPass?.draw(renderer, this.stretches);
    this.positionPass.draw(renderer, this.positions);
    this.normalPass.draw(renderer, this.normals);
  }

  dispose(): void {
    this.flesh.dispose();
    this.positions.dispose();
    this.normals.dispose();
    this.fleshMarks.dispose();
    this.marks.dispose();
    this.markPass.dispose();
    this.stretches?.dispose();
    this.stretchPass?.dispose();
    this.positionPass.dispose();
    this.normalPass.dispose();
  }
}

const CORNERS = /* glsl */ `
in vec3 position;
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }`;

/** A shader run once for every entry of a table. */
class Pass {
  private static readonly camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly scene = new Scene();
  private readonly quad: Mesh<PlaneGeometry, RawShaderMaterial>;

  constructor(fragmentShader: string, textures: Record<string, unknown>) {
    const uniforms = Object.fromEntries(Object.entries(textures).map(([name, value]) => [name, { value }]));
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: CORNERS, fragmentShader, uniforms,
      depthTest: false, depthWrite: false, blending: NoBlending,
    });
    this.quad = new Mesh(new PlaneGeometry(2, 2), material);
    this.quad.frustumCulled = false;
    this.scene.add(this.quad);
  }

  draw(renderer: WebGLRenderer, target: WebGLRenderTarget): void {
    const before = renderer.getRenderTarget();
    const shadows = renderer.shadowMap.autoUpdate;
    renderer.shadowMap.autoUpdate = false;
    renderer.setRenderTarget(target);
    renderer.render(this.scene, Pass.camera);
    renderer.setRenderTarget(before);
    renderer.shadowMap.autoUpdate = shadows;
  }

  dispose(): void {
    this.quad.geometry.dispose();
    this.quad.material.dispose();
  }
}
