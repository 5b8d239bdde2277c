/** The three.js viewport: owns the canvas, draws when something changed, and knows nothing of commands or panels. */
import { Color, NeutralToneMapping, Raycaster, Scene, SRGBColorSpace, PCFShadowMap, Vector3, WebGLRenderer } from 'three';
import type { Field, Frame, Model, Section } from '../client/wire';
import type { SceneInfo } from '../document/generated/protocol';
import { type LightNow, USUAL_LIGHT } from '../document/light';
import { type Ray, type Vec3, sub } from '../document/vector';
import { type Ball, ballAround, boxBall } from './balls';
import { type Caster, ContactShadow } from './contactShadow';
import { type Drawing, type DrawingKind, Drawings } from './drawing';
import { FieldShow } from './fieldShow';
import { Ghosts } from './ghosts';
import { Ground } from './ground';
import { Lights } from './lights';
import { ObstacleShape3d } from './obstacle';
import type { Orbit, View } from './orbit';
import { Pane, type PaneLook, layOut } from './pane';
import { PictureQuality, QUALITIES, type Quality } from './pictureQuality';
import { type Moved, carried } from './placed';
import { PullMark } from './pullMark';
import { CameraRide, type Sight } from './ride';
import type { SectionHit } from './sectionMesh';
import { SkinTables } from './skinMaker';
import type { SurfaceHit } from './skinPicker';
import { smoothSkin } from './smoothing';
import { SoftBody, greyed } from './softBody';

/** Bodies that the scene gives no colour are told apart by these, in order. */
const COLOURS = ['#cfa9d8', '#8fc0b4', '#e3b08a', '#93aede', '#d99aa0', '#b9c48a'];

/** What the pointer is over. */
export type StageHit = ({ on: 'skin'; body: number } & SurfaceHit) | ({ on: 'section'; body: number } & SectionHit);

export class Viewport {
  readonly panes = [new Pane('perspective'), new Pane('front'), new Pane('top'), new Pane('side')] as const;
  readonly mark = new PullMark();
  readonly fields: FieldShow;
  /** Called before each picture. */
  beforeDraw: (() => void) | null = null;
  private readonly drawn = new Set<() => void>();
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly ground = new Ground();
  private readonly lights = new Lights();
  private readonly contact = new ContactShadow();
  private readonly ghosts: Ghosts;
  private readonly drawings: Drawings;
  private moved = false;
  private readonly tables = new Map<number, SkinTables>();
  private bodies: SoftBody[] = [];
  private obstacles: ObstacleShape3d[] = [];
  private info: SceneInfo | null = null;
  private framed = false;
  private readonly ride = new CameraRide();
  private absent = false;
  /** How large the bodies of this scene were when they were first shown. */
  private sizeM = 0;
  private isNew = false;
  private light = USUAL_LIGHT;
  private wanted = 0;
  private readonly quality = new PictureQuality();
  private drawnQuality: Quality = QUALITIES[0]!;
  private keepsFull = false;
  /** Draws in full what has stood still for a while. */
  private still = 0;
  private waiting: (() => void)[] = [];
  private active = 0;
  private paneCount: 1 | 2 | 4 = 1;
  private readonly resizes: ResizeObserver;

  constructor(private readonly canvas: HTMLCanvasElement, kinds: readonly DrawingKind[] = []) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    if (!this.renderer.extensions.has('EXT_color_buffer_float')) {
      throw new Error('This browser’s graphics cannot draw into float textures, which skins are made in.');
    }
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // shadows change with frames, not with the camera
    this.fields = new FieldShow(this.scene, () => this.redraw());
    this.ghosts = new Ghosts(this.scene, this.fields.paint);
    this.scene.add(this.ground.group, this.contact.floor, this.lights.group, this.mark.group);
    this.drawings = new Drawings(kinds, { scene: this.scene, paint: this.fields.paint, bodies: () => this.bodies, draw: () => this.draw(), redraw: () => this.redraw() });
    this.resizes = new ResizeObserver(() => this.resize());
    this.resizes.observe(canvas.parentElement ?? canvas);
    this.resize();
    this.setTheme();
  }

  /** The view that was used last. */
  get pane(): Pane {
    return this.panes[this.active] ?? this.panes[0];
  }

  /** Which of `panes` that is. */
  get activePane(): number {
    return this.active;
  }

  get orbit(): Orbit {
    return this.pane.orbit;
  }

  get view(): View {
    return this.pane.view;
  }

  /** The views on screen. */
  get shownPanes(): readonly Pane[] {
    return this.panes.slice(0, this.paneCount);
  }

  /** What a workspace draws. */
  drawing<T extends Drawing>(kind: DrawingKind<T>): T {
    return this.drawings.of(kind);
  }

  /** Called after each picture, until the returned function is. */
  onDrawn(tell: () => void): () => void {
    this.drawn.add(tell);
    return () => this.drawn.delete(tell);
  }

  /** Once the next picture is drawn. */
  afterDraw(run: () => void): void {
    this.waiting.push(run);
    this.draw();
  }

  /** How moving pictures are drawn, so that they stay fluent. */
  get movingQuality(): Quality {
    return this.keepsFull ? QUALITIES[0]! : this.quality.now;
  }

  /** Whether the picture on screen is a full one, and nothing waits to be drawn. */
  get isFull(): boolean {
    return this.wanted === 0 && this.drawnQuality === QUALITIES[0];
  }

  /** Whether pictures are drawn in full however long they take. */
  setFull(full: boolean): void {
    this.keepsFull = full;
    this.draw();
  }

  /** One, two or four views; new ones look at what the first one does. */
  setPaneCount(count: 1 | 2 | 4): void {
    const { target, distanceM } = this.panes[0].orbit;
    for (const pane of this.panes.slice(this.paneCount, count)) Object.assign(pane.orbit, { target, distanceM });
    this.paneCount = count;
    this.active = Math.min(this.active, count - 1);
    this.resize();
  }

  /** The view under a pixel is the one that gestures are about from now on. */
  activate(x: number, y: number): void {
    const under = this.shownPanes.findIndex((pane) => pane.holds(x, y));
    if (under < 0 || under === this.active) return;
    this.active = under;
    this.draw();
  }

  /** Forgets everything drawn so far; models and frames of the scene follow. */
  open(info: SceneInfo): void {
    const sameScene = this.info?.name === info.name;
    this.clear();
    this.info = info;
    this.framed = sameScene && this.framed; // a page that reconnects keeps its camera
    this.isNew = true;
    if (!sameScene) this.sizeM = 0;
    if (!this.framed && info.camera) {
      for (const pane of this.panes) {
        const { yaw, pitch } = pane.orbit;
        pane.orbit.lookFrom(info.camera.eye, info.camera.look_at);
        pane.orbit.fovDeg = info.camera.fov_deg;
        if (pane.kind !== 'perspective') Object.assign(pane.orbit, { yaw, pitch });
      }
      this.ride.begin(this.panes[0].orbit);
    }
  }

  /** Goes along with a camera that moves, unless someone has turned the view. */
  rideAlong(sight: Sight | null): void {
    if (this.panes[0].kind === 'perspective' && this.ride.goTo(this.panes[0].orbit, sight)) this.draw();
  }

  addModel(model: Model): void {
    this.tables.set(model.id, new SkinTables(model, smoothSkin(model)));
    if (this.info && this.tables.size === this.info.model_count) this.makeBodies(this.info);
  }

  show(frame: Frame): void {
    if (frame.bodies.length !== this.bodies.length) return;
    frame.bodies.forEach((flesh, i) => this.bodies[i]!.show(flesh));
    frame.obstacles.forEach((pose, i) => this.obstacles[i]?.show(pose));
    this.ground.setSolid(this.obstacles.some(({ isFloor }) => isFloor));
    if (!this.framed) {
      this.framed = true;
      if (!this.info?.camera) this.frameAll();
    }
    this.followSize();
    this.redraw();
  }

  /** Shows a body (with its copies) or an obstacle elsewhere than the stage has it; none puts it back. */
  place(path: string, moved: Moved | null): void {
    this.info?.bodies.forEach((body, i) => body.path === path && this.bodies[i]?.place(moved));
    this.info?.obstacles.forEach((obstacle, i) => obstacle.path === path && this.obstacles[i]?.place(moved));
    if (path === 'light') this.lights.show(moved ? { ...this.light, from: sub(carried(this.lights.placeOf(this.light.from), moved), this.lights.about.centre) } : this.light);
    this.redraw();
  }

  /** Greys bodies while they are not those of the frame that time is at. */
  setGreyed(on: boolean): void {
    if (on === greyed.value > 0) return;
    greyed.value = on ? 1 : 0;
    this.draw();
  }

  /** Takes bodies and obstacles off the stage while they are not those of the scene. */
  setAbsent(absent: boolean): void {
    this.absent = absent;
    this.redraw();
  }

  get isAbsent(): boolean {
    return this.absent;
  }

  /** The scene's light as it is now. */
  setLight(light: LightNow): void {
    this.light = light;
    this.lights.show(light);
    this.redraw();
  }

  /** What light comes from all around, and from how far its sign is drawn. */
  get lightAbout(): { centre: Vec3; awayM: number } {
    return this.lights.about;
  }

  showField(field: Field): void {
    this.fields.take(field);
  }

  showSection(section: Section): void {
    this.fields.takeSection(section);
  }

  showTake(frame: Frame | null): void {
    this.ghosts.show(frame, this.bodies);
    this.redraw();
  }

  /** What each view shows, in the order of `panes`. */
  setLooks(looks: readonly PaneLook[]): void {
    looks.forEach((look, i) => this.panes[i] && (this.panes[i].shows = look));
    this.redraw();
  }

  setGround(visible: boolean): void {
    this.ground.group.visible = visible;
    this.draw();
  }

  /** Bodies and hard things; planes go on for ever. */
  frameAll(): void {
    this.frameBalls([...this.bodies.map(boxBall), ...this.obstacles.flatMap(({ ball }) => ball ?? [])]);
  }

  frameBody(index: number): void {
    const body = this.bodies[index];
    if (body) this.frameBalls([boxBall(body)]);
  }

  /** Frames an obstacle by its path in the scene; whether there is one that has a size. */
  frameObstacle(path: string): boolean {
    const ball = this.obstacleBall(path);
    if (ball) this.frameBalls([ball]);
    return ball !== null;
  }

  /** A ball around an obstacle; none where it goes on for ever, or is not there. */
  obstacleBall(path: string): Ball | null {
    return this.obstacles[this.info?.obstacles.findIndex((obstacle) => obstacle.path === path) ?? -1]?.ball ?? null;
  }

  /** Frames something new together with all there is; alone, where it would be too small to be seen beside it. Whether it is there. */
  frameWithAll(path: string): boolean {
    /** Of the whole. */
    const SMALL = 0.08;
    if (!this.bodies.every((body) => body.vertexAt(0))) return false; // not shown yet
    const bodies = this.info?.bodies.flatMap((body, i) => (body.path === path && this.bodies[i] ? [boxBall(this.bodies[i])] : [])) ?? [];
    const obstacles = this.info?.obstacles.flatMap((obstacle, i) => (obstacle.path === path ? (this.obstacles[i]?.ball ?? []) : [])) ?? [];
    const own = [...bodies, ...obstacles];
    if (own.length === 0) return false;
    const all = [...this.bodies.map(boxBall), ...this.obstacles.flatMap(({ ball }) => ball ?? [])];
    this.frameBalls(ballAround(own).radiusM < SMALL * ballAround(all).radiusM ? own : all);
    return true;
  }

  /** Through a pixel of the canvas, in the view that lies there. */
  rayThrough(xPx: number, yPx: number): Ray {
    return (this.shownPanes.find((pane) => pane.holds(xPx, yPx)) ?? this.pane).ray(xPx, yPx);
  }

  /** What is seen at a pixel: an open section, or the skin of a body. */
  hitAt(xPx: number, yPx: number): StageHit | null {
    return this.hit(this.rayThrough(xPx, yPx));
  }

  hit(ray: Ray): StageHit | null {
    let nearest: StageHit | null = null;
    if (this.absent) return null;
    this.bodies.forEach(({ picker }, body) => {
      const hit = picker.hit(ray);
      if (hit && (!nearest || hit.distanceM < nearest.distanceM)) nearest = { on: 'skin', body, ...hit };
    });
    const { section } = this.fields;
    const onCut = section.hit(ray);
    // Skin and section meet at the rim; there the section counts.
    const slack = 1e-3 * (onCut?.distanceM ?? 0);
    if (onCut && section.section && (!nearest || onCut.distanceM <= (nearest as StageHit).distanceM + slack)) {
      nearest = { on: 'section', body: section.section.body, ...onCut };
    }
    return nearest;
  }

  /** The path of the body or obstacle that is seen at a pixel. */
  thingAt(xPx: number, yPx: number): string | null {
    const ray = this.rayThrough(xPx, yPx);
    const body = this.hit(ray);
    const caster = new Raycaster(new Vector3(...ray.origin), new Vector3(...ray.direction));
    let found = { path: body ? (this.info?.bodies[body.body]?.path ?? null) : null, distanceM: body?.distanceM ?? Infinity };
    this.obstacles.forEach(({ mesh, patch }, i) => {
      const distanceM = (mesh ? caster.intersectObject(mesh, false)[0]?.distance : patch?.hit(caster.ray.origin, caster.ray.direction)) ?? Infinity;
      if (distanceM < found.distanceM) found = { path: this.info?.obstacles[i]?.path ?? null, distanceM };
    });
    return found.path;
  }

  body(index: number): SoftBody | undefined {
    return this.bodies[index];
  }

  get bodyCount(): number {
    return this.bodies.length;
  }

  /** Pixels, from the canvas's top left, of a point in the world. */
  pixelOf(point: Vec3, pane: Pane = this.pane): { x: number; y: number } {
    return pane.pixelOf(point);
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
    this.fields.setTheme(token);
    this.ghosts.setTheme(token);
    for (const drawing of this.drawings.all) drawing.setTheme?.(token);
    this.draw();
  }

  /** Draws at the next chance the browser gives; asking twice draws once. */
  draw(): void {
    if (this.wanted) return;
    this.wanted = requestAnimationFrame(() => {
      this.wanted = 0;
      this.drawMoving();
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.wanted);
    window.clearTimeout(this.still);
    this.resizes.disconnect();
    this.clear();
    this.fields.dispose();
    this.ground.dispose();
    this.lights.dispose();
    this.contact.dispose();
    this.mark.dispose();
    for (const drawing of this.drawings.all) drawing.dispose?.();
    this.renderer.dispose();
  }

  /** Draws again with everything that bodies carry made anew. */
  private redraw(): void {
    this.moved = true;
    this.draw();
  }

  /** A picture that others may follow at once: as good as they can be in time. */
  private drawMoving(): void {
    /** After this long without a picture nothing moves. */
    const STILL_MS = 300;
    window.clearTimeout(this.still);
    const began = performance.now();
    this.setQuality(this.movingQuality);
    this.drawNow();
    // The browser asks for the next picture when this one is through.
    requestAnimationFrame(() => void this.quality.note(performance.now() - began));
    for (const run of this.waiting.splice(0)) run();
    if (this.drawnQuality !== QUALITIES[0]) this.still = window.setTimeout(() => this.drawFull(), STILL_MS);
  }

  private drawFull(): void {
    this.setQuality(QUALITIES[0]!);
    this.drawNow();
  }

  private setQuality(quality: Quality): void {
    if (quality === this.drawnQuality) return;
    this.drawnQuality = quality;
    this.renderer.setPixelRatio(quality.resolution * Math.min(2, window.devicePixelRatio));
    this.lights.setShadows(quality.shadows);
    for (const body of this.bodies) body.setDetail(quality.fullSkin);
    this.moved = true;
  }

  private drawNow(): void {
    this.beforeDraw?.();
    for (const drawing of this.drawings.all) drawing.beforePicture?.();
    if (this.moved) this.drawShadows();
    const { renderer } = this;
    renderer.setScissorTest(false);
    renderer.clear();
    const whole = this.canvas.parentElement ?? this.canvas;
    renderer.setScissorTest(this.paneCount > 1);
    this.fields.sectionLook = this.pane.shows.look;
    for (const pane of this.shownPanes) {
      this.wear(pane.shows);
      const { left, top, width, height } = pane.box;
      const bottom = whole.clientHeight - top - height;
      renderer.setViewport(left, bottom, width, height);
      renderer.setScissor(left, bottom, width, height);
      this.fields.lines.setScreen(width, height);
      for (const drawing of this.drawings.all) drawing.setScreen?.(width, height, renderer.getPixelRatio());
      renderer.render(this.scene, pane.aim());
    }
    for (const tell of this.drawn) tell();
  }

  /** A scene whose size has become another (other units, another scale) is framed anew. */
  private followSize(): void {
    if (!this.isNew || this.bodies.length === 0) return;
    this.isNew = false;
    const { radiusM } = ballAround(this.bodies.map(boxBall));
    const ratio = this.sizeM > 0 ? radiusM / this.sizeM : 1;
    this.sizeM = radiusM;
    if (ratio > 4 || ratio < 0.25) this.frameAll();
  }

  /** Bodies as one view shows them. */
  private wear({ shade, look }: PaneLook): void {
    this.renderer.setScissorTest(false);
    this.fields.wear(look);
    for (const { group, patch } of this.obstacles) {
      group.visible = !this.absent;
      if (patch && this.absent) patch.group.visible = false; // it shows itself where it is not the floor
    }
    for (const body of this.bodies) {
      body.mesh.visible = !this.absent;
      body.setShade(shade);
      body.update(this.renderer);
    }
    this.renderer.setScissorTest(this.paneCount > 1);
  }

  /** Skins and shadows change with frames, not with the camera. */
  private drawShadows(): void {
    this.moved = false;
    this.renderer.setScissorTest(false);
    for (const body of this.bodies) body.update(this.renderer);
    this.ghosts.update(this.renderer);
    for (const drawing of this.drawings.all) drawing.followBodies?.(this.renderer);
    this.fields.update();
    this.fitSurroundings();
    const hard = this.obstacles.flatMap(({ mesh, shadow }): Caster[] => (mesh ? [{ mesh, shadow }] : []));
    this.contact.floor.visible = this.drawnQuality.shadows && !this.absent;
    if (!this.contact.floor.visible) return;
    this.contact.update(this.renderer, this.scene, [...this.bodies, ...hard]);
    this.renderer.shadowMap.needsUpdate = true;
  }

  private fitSurroundings(): void {
    if (this.bodies.length === 0) return;
    const { centre, radiusM } = ballAround(this.bodies.map((body) => body.bounds()));
    // In steps, so that shadow and grid do not swim while bodies breathe.
    const steady = 1.25 ** Math.ceil(Math.log(Math.max(radiusM, 1e-4)) / Math.log(1.25));
    const snap = (value: number): number => Math.round(value / (steady * 0.25)) * steady * 0.25;
    const low = Math.min(0, centre.y);
    const middle = new Vector3(snap(centre.x), snap((centre.y + low) / 2), snap(centre.z));
    this.lights.fit(middle, steady + Math.abs(centre.y) * 0.75);
    this.contact.fit(middle, steady * 1.6);
    this.ground.fit(middle, steady);
    for (const { patch } of this.obstacles) patch?.fit(middle, steady);
  }

  private frameBalls(balls: readonly Ball[]): void {
    if (balls.length === 0) return;
    const { centre, radiusM } = ballAround(balls);
    for (const pane of this.shownPanes) pane.orbit.frame(centre.toArray(), radiusM, pane.view);
    this.draw();
  }

  private makeBodies(info: SceneInfo): void {
    this.bodies = info.bodies.flatMap((body, i) => {
      const tables = this.tables.get(body.model);
      const colour = body.colour ? new Color().setRGB(...body.colour, SRGBColorSpace) : new Color(COLOURS[i % COLOURS.length]);
      return tables ? [new SoftBody(tables, colour, this.fields.paint)] : [];
    });
    for (const body of this.bodies) {
      body.setDetail(this.drawnQuality.fullSkin);
      this.scene.add(body.mesh, body.dots.points);
    }
    this.fields.setBodies(this.bodies);
    this.obstacles = info.obstacles.map(({ shape }) => new ObstacleShape3d(shape));
    for (const { group, patch } of this.obstacles) this.scene.add(group, ...(patch ? [patch.group] : []));
  }

  private clear(): void {
    for (const body of this.bodies) {
      this.scene.remove(body.mesh, body.dots.points);
      body.dispose();
    }
    for (const tables of this.tables.values()) tables.dispose();
    for (const obstacle of this.obstacles) {
      this.scene.remove(obstacle.group, ...(obstacle.patch ? [obstacle.patch.group] : []));
      obstacle.dispose();
    }
    this.bodies = [];
    this.obstacles = [];
    this.tables.clear();
    this.ghosts.clear();
    for (const drawing of this.drawings.all) drawing.clear?.();
    this.fields.setBodies([]);
  }

  private resize(): void {
    const box = this.canvas.parentElement ?? this.canvas;
    const [width, height] = [Math.max(1, box.clientWidth), Math.max(1, box.clientHeight)];
    layOut(this.paneCount, width, height).forEach((pane, i) => (this.panes[i]!.box = pane));
    this.renderer.setPixelRatio(this.drawnQuality.resolution * Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.draw();
  }
}
