/** One body on screen: a mesh whose vertices come from the tables of its skin maker. */
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Float32BufferAttribute, FrontSide, type Material, Mesh,
  MeshBasicMaterial, MeshDepthMaterial, MeshStandardMaterial, RGBADepthPacking, Vector3, type WebGLRenderer,
} from 'three';
import type { BodyFlesh } from '../client/wire';
import { CASTER_LAYER, asShadow } from './contactShadow';
import { type SkinTables, SkinMaker } from './skinMaker';
import { restSkin, skinVertex } from './smoothing';
import { TABLE_GLSL } from './tables';
import type { Vec3 } from '../document/vector';

export class SoftBody {
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  readonly shadow = new MeshBasicMaterial({ side: DoubleSide });
  private readonly maker: SkinMaker;
  private flesh: BodyFlesh | null = null;
  private reachM = 1;

  constructor(
    private readonly tables: SkinTables,
    colour: Color,
  ) {
    this.maker = new SkinMaker(tables);
    this.mesh = new Mesh(geometryOf(tables), skinMaterial(colour, tables.smooth.closed));
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

  show(flesh: BodyFlesh): void {
    this.flesh = flesh;
    this.mesh.position.set(...flesh.origin);
    this.maker.setFlesh(flesh.positions);
    let reach2 = 0;
    for (let i = 0; i < flesh.positions.length; i += 3) {
      const [x, y, z] = [flesh.positions[i]!, flesh.positions[i + 1]!, flesh.positions[i + 2]!];
      reach2 = Math.max(reach2, x * x + y * y + z * z);
    }
    this.reachM = Math.sqrt(reach2);
  }

  update(renderer: WebGLRenderer): void {
    this.maker.update(renderer);
  }

  /** A ball around the body as it is now. */
  bounds(): { centre: Vector3; radiusM: number } {
    return { centre: this.mesh.position.clone(), radiusM: this.reachM };
  }

  /** The skin vertex nearest to a point of the rest shape. */
  vertexNear(atRest: Vec3): number {
    const rest = restSkin(this.tables.model);
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
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.customDepthMaterial?.dispose();
    this.shadow.dispose();
  }

  /** Lets a stock material take its vertices and normals from the tables. */
  private readTables(material: Material): void {
    const { positions, normals } = this.maker;
    const before = material.onBeforeCompile.bind(material);
    material.onBeforeCompile = (shader, renderer) => {
      before(shader, renderer);
      shader.uniforms.skinPositions = { value: positions.texture };
      shader.uniforms.skinNormals = { value: normals.texture };
      shader.vertexShader = shader.vertexShader
        .replace(
          '#include <common>',
          `#include <common>
          in vec2 skinAt; // skin vertex, split vertex
          uniform highp sampler2D skinPositions, skinNormals;
          ${TABLE_GLSL}`,
        )
        .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = tableEntry(skinNormals, skinAt.y).xyz;')
        .replace('#include <begin_vertex>', 'vec3 transformed = tableEntry(skinPositions, skinAt.x).xyz;');
    };
    material.customProgramCacheKey = () => 'skin tables'; // three tells programs apart by this, not by what we replace
  }
}

function geometryOf(tables: SkinTables): BufferGeometry {
  const { vertexOf, index } = tables.smooth;
  const rest = restSkin(tables.model);
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
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
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
      totalEmissiveRadiance += mix(diffuseColor.rgb, vec3(1.0), 0.25) * (0.3 * pow(1.0 - facing, 3.0) + 0.035);`,
    );
  };
  return material;
}
