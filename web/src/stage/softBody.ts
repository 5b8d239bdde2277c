/** One body on screen: a mesh whose vertices come from the tables of its skin maker, in its own colours or a field's. */
import {
  BufferAttribute, BufferGeometry, Color, DataTexture, DoubleSide, Float32BufferAttribute, FrontSide, LinearFilter, LinearMipmapLinearFilter, type Material, Mesh,
  MeshBasicMaterial, MeshDepthMaterial, MeshStandardMaterial, RGBADepthPacking, RGBAFormat, SRGBColorSpace, Vector3, type WebGLRenderer,
} from 'three';
import type { BodyFlesh, Model, SkinPicture } from '../client/wire';
import { restSkin, skinVertex } from './carrying';
import { coarseIndex } from './coarseSkin';
import { FIELD_GLSL } from './colourMaps';
import { CASTER_LAYER, asShadow } from './contactShadow';
import type { FieldPaint } from './fieldPaint';
import { FleshDots } from './fleshDots';
import { type SkinTables, SkinMaker } from './skinMaker';
import { SkinPicker } from './skinPicker';
import { TABLE_GLSL } from './tables';
import type { Vec3 } from '../document/vector';
import { type Moved, carried } from './placed';

/** What of a body is drawn. */
export type Shade = 'skin' | 'flesh' | 'wire' | 'field';

const ONCE: Vec3 = [1, 1, 1];

/** 1 while bodies are not those of the frame that time is at. */
export const greyed = { value: 0 };

export class SoftBody {
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  readonly shadow = new MeshBasicMaterial({ side: DoubleSide });
  readonly dots: FleshDots;
  readonly picker: SkinPicker;
  readonly restSkin: Float32Array;
  private readonly maker: SkinMaker;
  private readonly fieldOn = { value: 0 };
  private readonly fine: BufferAttribute;
  private coarse: BufferAttribute | null = null;
  private shade: Shade = 'skin';
  private values: Float32Array | null = null;
  private sides: Float32Array | null = null;
  private flesh: BodyFlesh | null = null;
  private reachM = 1;
  private moved: Moved | null = null;

  constructor(
    private readonly tables: SkinTables,
    colour: Color,
    private readonly paint: FieldPaint,
  ) {
    this.maker = new SkinMaker(tables);
    this.restSkin = restSkin(tables.model);
    this.picker = new SkinPicker(tables.model, this.restSkin);
    this.dots = new FleshDots(tables.model.pointCount, colour, paint, this.fieldOn);
    const { colours, picture } = tables.model;
    this.mesh = new Mesh(geometryOf(tables, this.restSkin), skinMaterial(colours || picture ? new Color('#ffffff') : colour, tables.smooth.closed));
    if (picture) this.mesh.material.map = textureOf(picture);
    this.fine = this.mesh.geometry.getIndex()!;
    this.mesh.material.vertexColors = tables.model.colours !== null;
    this.mesh.customDepthMaterial = new MeshDepthMaterial({ depthPacking: RGBADepthPacking, side: DoubleSide });
    this.readTables(this.mesh.material);
    this.readTables(this.mesh.customDepthMaterial);
    this.readTables(this.shadow);
    asShadow(this.shadow);
    this.mesh.layers.enable(CASTER_LAYER);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false; // its rest bounds say nothing about where it is now
  }

  get model(): Model {
    return this.tables.model;
  }

  /** The flesh as it was last shown. */
  get fleshNow(): BodyFlesh | null {
    return this.flesh;
  }

  /** Another body of the same tables. */
  twin(colour: Color, paint: FieldPaint): SoftBody {
    return new SoftBody(this.tables, colour, paint);
  }

  /** Skin, flesh, or skin in the colours of what is looked at (its own where there is nothing to look at). */
  setShade(shade: Shade): void {
    this.shade = shade;
    this.dots.points.visible = shade === 'flesh' && this.mesh.visible;
    const { material } = this.mesh;
    // Views of different shades are drawn one after the other: only what is another program is asked for anew.
    if (material.transparent !== (shade === 'flesh')) material.needsUpdate = true;
    material.transparent = shade === 'flesh';
    material.opacity = shade === 'flesh' ? 0.16 : 1;
    material.depthWrite = shade !== 'flesh';
    material.wireframe = shade === 'wire';
    this.fieldOn.value = this.values && shade !== 'skin' ? 1 : 0;
  }

  /** Whether all triangles are drawn, or, of a dense skin, those of a coarser one. */
  setDetail(full: boolean): void {
    const { index, vertexOf } = this.tables.smooth;
    if (this.model.picture) return; // its vertices are others, and such skins are seldom dense
    if (!full) this.coarse ??= new BufferAttribute(coarseIndex(index, vertexOf, this.restSkin), 1);
    this.mesh.geometry.setIndex(full || !this.coarse ? this.fine : this.coarse);
  }

  /** A number per flesh point to colour by; none for the body's own colours. */
  setField(values: Float32Array | null): void {
    const fitting = values && values.length === this.model.pointCount ? values : null;
    if (fitting === this.values) return;
    this.values = fitting;
    this.colourIt();
  }

  /** A number per flesh point, positive where the body is cut away; none for a whole body. */
  setSides(sides: Float32Array | null): void {
    const wasWhole = this.sides === null;
    this.sides = sides;
    this.picker.setSides(sides);
    // Through an open cut the inside is seen wherever skin and section do not meet exactly.
    if (wasWhole !== (sides === null)) {
      this.mesh.material.side = sides || !this.tables.smooth.closed ? DoubleSide : FrontSide;
      this.mesh.material.needsUpdate = true;
    }
    this.colourIt();
  }

  private colourIt(): void {
    this.fieldOn.value = this.values && this.shade !== 'skin' ? 1 : 0;
    this.maker.setMarks(this.values, this.sides);
    this.dots.setMarks(this.values, this.sides);
  }

  show(flesh: BodyFlesh): void {
    this.flesh = flesh;
    this.picker.setFlesh(flesh);
    this.dots.show(flesh);
    this.stand();
    this.maker.setFlesh(flesh.positions);
    let reach2 = 0;
    for (let i = 0; i < flesh.positions.length; i += 3) {
      const [x, y, z] = [flesh.positions[i]!, flesh.positions[i + 1]!, flesh.positions[i + 2]!];
      reach2 = Math.max(reach2, x * x + y * y + z * z);
    }
    this.reachM = Math.sqrt(reach2);
  }

  /** Shown elsewhere than its flesh is; none puts it back. */
  place(moved: Moved | null): void {
    this.moved = moved;
    this.stand();
  }

  private stand(): void {
    const { flesh, moved } = this;
    if (!flesh) return;
    for (const thing of [this.mesh, this.dots.points]) {
      thing.position.set(...(moved ? carried(flesh.origin, moved) : flesh.origin));
      thing.scale.set(...(moved?.times ?? ONCE));
      if (moved) thing.quaternion.copy(moved.turn);
      else thing.quaternion.identity();
    }
  }

  update(renderer: WebGLRenderer): void {
    this.maker.update(renderer);
  }

  /** A ball around the body as it is now. */
  bounds(): { centre: Vector3; radiusM: number } {
    return { centre: this.mesh.position.clone(), radiusM: this.reachM };
  }

  /** The middle of its box, and half the box's extent: across, and upwards. */
  box(): { centre: Vector3; radiusM: number; reach: [number, number] } {
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = low.clone().negate();
    const at = new Vector3();
    const points = this.flesh?.positions ?? new Float32Array();
    for (let i = 0; i < points.length; i += 3) {
      at.fromArray(points, i);
      low.min(at);
      high.max(at);
    }
    const half = high.clone().sub(low).multiplyScalar(0.5);
    const centre = points.length > 0 ? low.add(half).add(this.mesh.position) : this.mesh.position.clone();
    return { centre, radiusM: this.reachM, reach: [Math.hypot(half.x, half.z), half.y] };
  }

  /** The skin vertex nearest to a point of the rest shape. */
  vertexNear(atRest: Vec3): number {
    const rest = this.restSkin;
    let nearest = 0;
    let least = Infinity;
    for (let vertex = 0; vertex < this.tables.model.skinVertexCount; vertex++) {
      const away = Math.hypot(
        rest[3 * vertex]! - atRest[0], rest[3 * vertex + 1]! - atRest[1], rest[3 * vertex + 2]! - atRest[2],
      );
      if (away < least) [nearest, least] = [vertex, away];
    }
    return nearest;
  }

  /** Where a skin vertex is now, in the world. */
  vertexAt(vertex: number): Vec3 | null {
    if (!this.flesh) return null;
    const about = skinVertex(this.tables.model, this.flesh.positions, vertex);
    const { origin } = this.flesh;
    return [origin[0] + about[0], origin[1] + about[1], origin[2] + about[2]];
  }

  /** Skin positions about the origin as the GPU made them: for checks, it waits for the GPU. */
  readSkin(renderer: WebGLRenderer): Float32Array {
    const { positions } = this.maker;
    const texels = new Float32Array(4 * positions.width * positions.height);
    renderer.readRenderTargetPixels(positions, 0, 0, positions.width, positions.height, texels);
    const skin = new Float32Array(3 * this.tables.model.skinVertexCount);
    for (let vertex = 0; vertex < this.tables.model.skinVertexCount; vertex++) {
      skin.set(texels.subarray(4 * vertex, 4 * vertex + 3), 3 * vertex);
    }
    return skin;
  }

  dispose(): void {
    this.maker.dispose();
    this.dots.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.map?.dispose();
    this.mesh.material.dispose();
    this.mesh.customDepthMaterial?.dispose();
    this.shadow.dispose();
  }

  /** Lets a stock material take its vertices and normals from the tables. */
  private readTables(material: Material): void {
    const { positions, normals, marks } = this.maker;
    const before = material.onBeforeCompile.bind(material);
    material.onBeforeCompile = (shader, renderer) => {
      before(shader, renderer);
      shader.uniforms.skinPositions = { value: positions.texture };
      shader.uniforms.skinNormals = { value: normals.texture };
      shader.uniforms.skinMarks = { value: marks.texture };
      shader.uniforms.fieldOn = this.fieldOn;
      shader.uniforms.greyed = greyed;
      Object.assign(shader.uniforms, this.paint.uniforms);
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', `#include <common>\nin vec2 skinMark;\nuniform float fieldOn, greyed;\n${FIELD_GLSL}`)
        .replace('void main() {', 'void main() {\n  if (skinMark.y > 0.0) discard;')
        .replace('#include <color_fragment>', '#include <color_fragment>\n  vec3 fieldGlow = vec3(0.0);\n  if (fieldOn > 0.5) { fieldGlow = fieldColour(skinMark.x); diffuseColor.rgb = 0.62 * fieldGlow; }\n  vec3 grey = vec3(dot(diffuseColor.rgb, vec3(0.3, 0.59, 0.11)));\n  diffuseColor.rgb = mix(diffuseColor.rgb, 0.55 * grey + 0.06, 0.85 * greyed);\n  fieldGlow *= 1.0 - 0.7 * greyed;');
      shader.vertexShader = shader.vertexShader
        .replace(
          '#include <common>',
          `#include <common>
          in vec2 skinAt; // skin vertex, split vertex
          out vec2 skinMark; // field value, side of the cut
          uniform highp sampler2D skinPositions, skinNormals, skinMarks;
          ${TABLE_GLSL}`,
        )
        .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = tableEntry(skinNormals, skinAt.y).xyz;')
        .replace('#include <begin_vertex>', 'vec3 transformed = tableEntry(skinPositions, skinAt.x).xyz; skinMark = tableEntry(skinMarks, skinAt.x).xy;');
    };
    material.customProgramCacheKey = () => 'skin tables'; // three tells programs apart by this, not by what we replace
  }
}

function geometryOf(tables: SkinTables, rest: Float32Array): BufferGeometry {
  const { picture } = tables.model;
  if (picture) return picturedGeometry(tables, picture, rest);
  const { vertexOf, index } = tables.smooth;
  const { colours } = tables.model;
  const position = new Float32Array(3 * vertexOf.length);
  const skinAt = new Float32Array(2 * vertexOf.length);
  vertexOf.forEach((vertex, split) => {
    position.set(rest.subarray(3 * vertex, 3 * vertex + 3), 3 * split);
    skinAt.set([vertex, split], 2 * split);
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(position, 3));
  geometry.setAttribute('skinAt', new Float32BufferAttribute(skinAt, 2));
  // The shader brings its own normals, but three takes a geometry without any for a faceted one.
  geometry.setAttribute('normal', new Float32BufferAttribute(new Float32Array(position.length), 3));
  if (colours) geometry.setAttribute('color', new Float32BufferAttribute(linearColours(colours, vertexOf), 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

/** Corners that lie at different places of the picture are vertices of their own, of the same skin vertex. */
function picturedGeometry(tables: SkinTables, { uvs }: SkinPicture, rest: Float32Array): BufferGeometry {
  const { vertexOf, index } = tables.smooth;
  const known = new Map<string, number>();
  const [position, skinAt, uv]: [number[], number[], number[]] = [[], [], []];
  const corners = Uint32Array.from(index, (split, corner) => {
    const [u, v] = [uvs[2 * corner]!, uvs[2 * corner + 1]!];
    const name = `${split} ${u} ${v}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const vertex = vertexOf[split]!;
    position.push(rest[3 * vertex]!, rest[3 * vertex + 1]!, rest[3 * vertex + 2]!);
    skinAt.push(vertex, split);
    uv.push(u, v);
    known.set(name, known.size);
    return known.size - 1;
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(position, 3));
  geometry.setAttribute('skinAt', new Float32BufferAttribute(skinAt, 2));
  geometry.setAttribute('normal', new Float32BufferAttribute(new Float32Array(position.length), 3));
  geometry.setAttribute('uv', new Float32BufferAttribute(uv, 2));
  geometry.setIndex(new BufferAttribute(corners, 1));
  return geometry;
}

function textureOf({ width, height, pixels }: SkinPicture): DataTexture {
  const texture = new DataTexture(pixels, width, height, RGBAFormat);
  texture.colorSpace = SRGBColorSpace;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

/** Shaders mix light, not what a screen shows. */
function linearColours(colours: Uint8Array, vertexOf: Uint32Array): Float32Array {
  const linear = Array.from({ length: 256 }, (_, i) => new Color().setRGB(i / 255, 0, 0, SRGBColorSpace).r);
  const out = new Float32Array(3 * vertexOf.length);
  vertexOf.forEach((vertex, split) => {
    for (let i = 0; i < 3; i++) out[3 * split + i] = linear[colours[4 * vertex + i]!]!;
  });
  return out;
}

/** Soft tissue: matt, with a rim of light that went a little way through (tuned by eye on jellyfish and bar). */
function skinMaterial(colour: Color, closed: boolean): MeshStandardMaterial {
  const side = closed ? FrontSide : DoubleSide;
  const material = new MeshStandardMaterial({ color: colour, roughness: 0.52, metalness: 0, side, shadowSide: DoubleSide });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      '#include <emissivemap_fragment>',
      `#include <emissivemap_fragment>
      float facing = saturate(dot(normal, normalize(vViewPosition)));
      float rim = 0.3 * pow(1.0 - facing, 3.0) + 0.035;
      // A field's colours are to be read: half of them shine whatever the light.
      totalEmissiveRadiance += fieldOn > 0.5 ? 0.5 * fieldGlow : mix(diffuseColor.rgb, vec3(1.0), 0.25) * rim;`,
    );
  };
  return material;
}
