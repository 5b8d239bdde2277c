/**
 * The soft dark patch under things, darkest where they touch the floor. Everything near the floor is drawn from below
 * into a small picture, nearest first and fainter with height; two blurs make it soft.
 */
import {
  GLSL3, LinearFilter, Mesh, type MeshBasicMaterial, NoBlending, OrthographicCamera, PlaneGeometry, RawShaderMaterial,
  Scene, ShaderMaterial, Vector2, type Vector3, WebGLRenderTarget, type WebGLRenderer,
} from 'three';

const SIDE_PX = 384;

const BLUR = /* glsl */ `
precision highp float;
uniform sampler2D picture;
uniform vec2 stepUv;
in vec2 at;
out vec4 result;
void main() {
  // A Gaussian of 13 taps.
  float sum = 0.0, total = 0.0;
  for (int i = -6; i <= 6; i++) {
    float weight = exp(-float(i * i) / 14.0);
    sum += texture(picture, at + float(i) * stepUv).r * weight;
    total += weight;
  }
  result = vec4(sum / total);
}`;

const BLUR_VERTEX = /* glsl */ `
in vec3 position;
out vec2 at;
void main() { at = position.xy * 0.5 + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }`;

const FLOOR_VERTEX = /* glsl */ `
varying vec2 at;
void main() {
  at = position.xz * 0.5 + 0.5; // the camera below has x to its right and z up
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FLOOR_FRAGMENT = /* glsl */ `
varying vec2 at;
uniform sampler2D picture;
uniform float strength;
void main() {
  vec2 edge = smoothstep(0.0, 0.08, at) * smoothstep(0.0, 0.08, 1.0 - at);
  gl_FragColor = vec4(0.0, 0.0, 0.0, min(1.0, 1.6 * texture2D(picture, at).r) * strength * edge.x * edge.y);
}`;

/** Makes a material draw its object as the shadow sees it: white at the floor, black at the reach above it. */
export function asShadow(material: MeshBasicMaterial): MeshBasicMaterial {
  const before = material.onBeforeCompile.bind(material);
  material.onBeforeCompile = (shader, renderer) => {
    before(shader, renderer);
    shader.fragmentShader = shader.fragmentShader.replace(
      '#include <opaque_fragment>',
      'float near = clamp(1.0 - gl_FragCoord.z, 0.0, 1.0); gl_FragColor = vec4(vec3(pow(near, 1.6)), 1.0);',
    );
  };
  const key = material.customProgramCacheKey.bind(material);
  material.customProgramCacheKey = () => `shadow ${key()}`;
  return material;
}

/** An object that casts, and the material to draw it with here. */
export interface Caster {
  mesh: Mesh;
  shadow: MeshBasicMaterial;
}

/** Casters are on this layer besides their own: the camera below the floor sees nothing else. */
export const CASTER_LAYER = 1;

export class ContactShadow {
  readonly floor: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly camera = new OrthographicCamera();
  private readonly pictures = [picture(), picture()] as const;
  private readonly blurScene = new Scene();
  private readonly blur: Mesh<PlaneGeometry, RawShaderMaterial>;

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: FLOOR_VERTEX, fragmentShader: FLOOR_FRAGMENT, transparent: true, depthWrite: false,
      uniforms: { picture: { value: this.pictures[0].texture }, strength: { value: 0.6 } },
    });
    this.floor = new Mesh(new PlaneGeometry(2, 2).rotateX(-Math.PI / 2), material);
    this.floor.frustumCulled = false;
    this.floor.renderOrder = -2;
    const blur = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: BLUR_VERTEX, fragmentShader: BLUR, depthTest: false, blending: NoBlending,
      uniforms: { picture: { value: null }, stepUv: { value: new Vector2() } },
    });
    this.blur = new Mesh(new PlaneGeometry(2, 2), blur);
    this.blur.frustumCulled = false;
    this.blurScene.add(this.blur);
    this.camera.layers.set(CASTER_LAYER);
    this.blur.layers.enable(CASTER_LAYER);
    // From below, looking up: x to the right, z towards the picture's top.
    this.camera.up.set(0, 0, 1);
  }

  /** The square of floor around `centre` that catches shadows, and how high above it things still cast. */
  fit(centre: Vector3, halfM: number): void {
    this.floor.position.set(centre.x, 0.0005 * halfM, centre.z);
    this.floor.scale.set(halfM, 1, halfM);
    Object.assign(this.camera, { left: -halfM, right: halfM, top: halfM, bottom: -halfM, near: 0, far: halfM });
    this.camera.position.set(centre.x, 0, centre.z);
    this.camera.lookAt(centre.x, 1, centre.z);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  /** Takes the picture again. */
  update(renderer: WebGLRenderer, scene: Scene, casters: readonly Caster[]): void {
    const looks = casters.map(({ mesh }) => mesh.material);
    for (const { mesh, shadow } of casters) mesh.material = shadow;
    renderer.setRenderTarget(this.pictures[0]);
    renderer.render(scene, this.camera);
    casters.forEach(({ mesh }, i) => (mesh.material = looks[i]!));
    // Twice: sharp enough where things touch, and broad about them.
    for (const px of [1.4, 3.6]) {
      this.blurInto(renderer, 0, 1, new Vector2(px / SIDE_PX, 0));
      this.blurInto(renderer, 1, 0, new Vector2(0, px / SIDE_PX));
    }
    renderer.setRenderTarget(null);
  }

  setStrength(strength: number): void {
    this.floor.material.uniforms.strength!.value = strength;
  }

  dispose(): void {
    for (const target of this.pictures) target.dispose();
    this.floor.geometry.dispose();
    this.floor.material.dispose();
    this.blur.geometry.dispose();
    this.blur.material.dispose();
  }

  private blurInto(renderer: WebGLRenderer, from: 0 | 1, to: 0 | 1, step: Vector2): void {
    const { uniforms } = this.blur.material;
    uniforms.picture!.value = this.pictures[from].texture;
    uniforms.stepUv!.value = step;
    renderer.setRenderTarget(this.pictures[to]);
    renderer.render(this.blurScene, this.camera);
  }
}

function picture(): WebGLRenderTarget {
  return new WebGLRenderTarget(SIDE_PX, SIDE_PX, { minFilter: LinearFilter, magFilter: LinearFilter });
}
