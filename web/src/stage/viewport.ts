/** The three.js viewport: owns the canvas, draws when something changed, and knows nothing of commands or panels. */
import { Color, NeutralToneMapping, PerspectiveCamera, Scene, SRGBColorSpace, PCFShadowMap, Vector3, WebGLRenderer } from 'three';
import type { Frame, Model } from '../client/wire';
import type { SceneInfo } from '../document/generated/protocol';
import type { Ray, Vec3 } from '../document/vector';
import { type Caster, ContactShadow } from './contactShadow';
import { Ground } from './ground';
import { Lights } from './lights';
import { ObstacleShape3d } from './obstacle';
import { Orbit, type View } from './orbit';
import { PullMark } from './pullMark';
import { SkinTables } from './skinMaker';
import { smoothSkin } from './smoothing';
import { SoftBody } from './softBody';

/** Bodies that the scene gives no colour are told apart by these, in order. */
const COLOURS = ['#cfa9d8', '#8fc0b4', '#e3b08a', '#93aede', '#d99aa0', '#b9c48a'];

export class Viewport {
  readonly orbit = new Orbit();
  readonly mark = new PullMark();
  /** Called before and after each picture. */
  beforeDraw: (() => void) | null = null;
  onDrawn: (() => void) | null = null;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera();
  private readonly ground = new Ground();
  private readonly lights = new Lights();
  private readonly contact = new ContactShadow();
  private moved = false;
  private readonly tables = new Map<number, SkinTables>();
  private bodies: SoftBody[] = [];
  private obstacles: ObstacleShape3d[] = [];
  private info: SceneInfo | null = null;
  private framed = false;
  private wanted = 0;
  private readonly resizes: ResizeObserver;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    if (!this.renderer.extensions.has('EXT_color_buffer_float')) {
      throw new Error('This browser’s graphics cannot draw into float textures, which skins are made in.');
    }
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // shadows change with frames, not with the camera
    this.scene.add(this.ground.group, this.contact.floor, this.lights.group, this.mark.group);
    this.resizes = new ResizeObserver(() => this.resize());
    this.resizes.observe(canvas.parentElement ?? canvas);
    this.resize();
    this.setTheme();
  }

  get view(): View {
    return { widthPx: Math.max(1, this.canvas.clientWidth), heightPx: Math.max(1, this.canvas.clientHeight) };
  }

  /** Forgets everything drawn so far; models and frames of the scene follow. */
  open(info: SceneInfo): void {
    const sameScene = this.info?.name === info.name;
    this.clear();
    this.info = info;
    this.framed = sameScene && this.framed; // a page that reconnects keeps its camera
    if (!this.framed && info.camera) {
      this.orbit.lookFrom(info.camera.eye, info.camera.look_at);
      this.orbit.fovDeg = info.camera.fov_deg;
    }
  }

  addModel(model: Model): void {
    this.tables.set(model.id, new SkinTables(model, smoothSkin(model)));
    if (this.info && this.tables.size === this.info.model_count) this.makeBodies(this.info);
  }

  show(frame: Frame): void {
    if (frame.bodies.length !== this.bodies.length) return;
    frame.bodies.forEach((flesh, i) => this.bodies[i]!.show(flesh));
    frame.obstacles.forEach((pose, i) => this.obstacles[i]?.show(pose));
    this.moved = true;
    if (!this.framed) {
      this.framed = true;
      if (!this.info?.camera) this.frameAll();
    }
    this.draw();
  }

  frameAll(): void {
    this.frameBodies(this.bodies);
  }

  frameBody(index: number): void {
    const body = this.bodies[index];
    if (body) this.frameBodies([body]);
  }

  rayThrough(xPx: number, yPx: number): Ray {
    return this.orbit.ray(xPx, yPx, this.view);
  }

  body(index: number): SoftBody | undefined {
    return this.bodies[index];
  }

  /** Pixels, from the canvas's top left, of a point in the world. */
  pixelOf(point: Vec3): { x: number; y: number } {
    this.aim();
    const at = new Vector3(...point).project(this.camera);
    return { x: ((at.x + 1) / 2) * this.view.widthPx, y: ((1 - at.y) / 2) * this.view.heightPx };
  }

  /** The GPU's own skin of a body, about its origin. */
  readSkin(index: number): Float32Array | null {
    const body = this.bodies[index];
    if (!body) return null;
    body.update(this.renderer);
    return body.readSkin(this.renderer);
  }

  setTheme(): void {
    const style = getComputedStyle(document.documentElement);
    const token = (name: string): string => style.getPropertyValue(name).trim();
    const light = document.documentElement.dataset.theme === 'light';
    this.ground.setTheme(token);
    this.lights.setTheme(light);
    this.contact.setStrength(light ? 0.36 : 0.85);
    this.mark.setTheme(token, this.renderer.getPixelRatio());
    this.draw();
  }

  /** Draws at the next chance the browser gives; asking twice draws once. */
  draw(): void {
    if (this.wanted) return;
    this.wanted = requestAnimationFrame(() => {
      this.wanted = 0;
      this.drawNow();
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.wanted);
    this.resizes.disconnect();
    this.clear();
    this.ground.dispose();
    this.lights.dispose();
    this.contact.dispose();
    this.mark.dispose();
    this.renderer.dispose();
  }

  private drawNow(): void {
    this.beforeDraw?.();
    if (this.moved) this.drawShadows();
    this.aim();
    this.renderer.render(this.scene, this.camera);
    this.onDrawn?.();
  }

  /** Skins and shadows change with frames, not with the camera. */
  private drawShadows(): void {
    this.moved = false;
    for (const body of this.bodies) body.update(this.renderer);
    this.fitSurroundings();
    const hard = this.obstacles.flatMap(({ mesh, shadow }): Caster[] => (mesh ? [{ mesh, shadow }] : []));
    this.contact.update(this.renderer, this.scene, [...this.bodies, ...hard]);
    this.renderer.shadowMap.needsUpdate = true;
  }

  private aim(): void {
    const { orbit, camera, view } = this;
    camera.fov = orbit.fovDeg;
    camera.aspect = view.widthPx / view.heightPx;
    camera.near = orbit.distanceM * 0.02;
    camera.far = orbit.distanceM * 60;
    camera.position.set(...orbit.eye);
    camera.lookAt(...orbit.target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  private fitSurroundings(): void {
    if (this.bodies.length === 0) return;
    const { centre, radiusM } = this.ballAround(this.bodies);
    // In steps, so that shadow and grid do not swim while bodies breathe.
    const steady = 1.25 ** Math.ceil(Math.log(Math.max(radiusM, 1e-4)) / Math.log(1.25));
    const snap = (value: number): number => Math.round(value / (steady * 0.25)) * steady * 0.25;
    const low = Math.min(0, centre.y);
    const middle = new Vector3(snap(centre.x), snap((centre.y + low) / 2), snap(centre.z));
    this.lights.fit(middle, steady + Math.abs(centre.y) * 0.75);
    this.contact.fit(middle, steady * 1.6);
    this.ground.fit(middle, steady);
  }

  private frameBodies(bodies: SoftBody[]): void {
    if (bodies.length === 0) return;
    const { centre, radiusM } = this.ballAround(bodies);
    this.orbit.frame(centre.toArray(), radiusM, this.view);
    this.draw();
  }

  private ballAround(bodies: SoftBody[]): { centre: Vector3; radiusM: number } {
    const balls = bodies.map((body) => body.bounds());
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = low.clone().negate();
    for (const { centre, radiusM } of balls) {
      low.min(centre.clone().subScalar(radiusM));
      high.max(centre.clone().addScalar(radiusM));
    }
    const middle = low.add(high).multiplyScalar(0.5);
    const reach = Math.max(...balls.map(({ centre, radiusM }) => centre.distanceTo(middle) + radiusM));
    return { centre: middle, radiusM: reach };
  }

  private makeBodies(info: SceneInfo): void {
    this.bodies = info.bodies.flatMap((body, i) => {
      const tables = this.tables.get(body.model);
      const colour = body.colour ? new Color().setRGB(...body.colour, SRGBColorSpace) : new Color(COLOURS[i % COLOURS.length]);
      return tables ? [new SoftBody(tables, colour)] : [];
    });
    for (const body of this.bodies) this.scene.add(body.mesh);
    this.obstacles = info.obstacles.map(({ shape }) => new ObstacleShape3d(shape));
    for (const obstacle of this.obstacles) this.scene.add(obstacle.group);
  }

  private clear(): void {
    for (const body of this.bodies) {
      this.scene.remove(body.mesh);
      body.dispose();
    }
    for (const tables of this.tables.values()) tables.dispose();
    for (const obstacle of this.obstacles) {
      this.scene.remove(obstacle.group);
      obstacle.dispose();
    }
    this.bodies = [];
    this.obstacles = [];
    this.tables.clear();
  }

  private resize(): void {
    const box = this.canvas.parentElement ?? this.canvas;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(Math.max(1, box.clientWidth), Math.max(1, box.clientHeight), false);
    this.draw();
  }
}
