/** A soft studio: sky and floor light, one key light with a shadow, a cool rim from behind. */
import { DirectionalLight, Group, HemisphereLight, SRGBColorSpace, Vector3 } from 'three';
import { type LightNow, USUAL_LIGHT } from '../document/light';
import type { Vec3 } from '../document/vector';

/** Brightness of the key light and the sky where the scene says what is usual. */
const KEY = 1.75;
const KEY_COLOUR = '#fff1e2';
const RIM_FROM = new Vector3(-0.7, 0.55, -0.9).normalize();
const FILL_FROM = new Vector3(-0.9, 0.35, 0.6).normalize();

/** The key light is as far as it likes; drawn at this share of where it stands, it is near enough to be seen. */
const SHOWN = 0.3;

export class Lights {
  readonly group = new Group();
  private readonly sky = new HemisphereLight('#f4f6ff', '#5c5560', 1.4);
  private readonly key = new DirectionalLight(KEY_COLOUR, KEY);
  private readonly rim = new DirectionalLight('#d8e0f6', 1.2);
  private readonly fill = new DirectionalLight('#e6ecff', 0.5);
  private now = USUAL_LIGHT;
  private skyUsual = 1.4;
  private readonly keyFrom = new Vector3(...USUAL_LIGHT.from).normalize();
  private readonly centre = new Vector3();
  private awayM = 4;

  constructor() {
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(512, 512);
    this.key.shadow.radius = 4;
    this.key.shadow.intensity = 0.75;
    this.key.shadow.bias = -0.002;
    for (const light of [this.key, this.rim, this.fill]) this.group.add(light, light.target);
    this.group.add(this.sky);
  }

  /** The scene's own light: the key light is it, the sky the light from everywhere. */
  show(now: LightNow): void {
    this.now = now;
    this.keyFrom.set(...now.from).normalize();
    this.key.intensity = KEY * now.strength;
    if (now.colour) this.key.color.setRGB(...now.colour, SRGBColorSpace);
    else this.key.color.set(KEY_COLOUR);
    this.sky.intensity = (this.skyUsual * now.ambient) / USUAL_LIGHT.ambient;
    this.stand();
  }

  /** Where the key light is drawn, if it comes from a direction. */
  placeOf(from: Vec3): Vec3 {
    return new Vector3(...from).normalize().multiplyScalar(SHOWN * this.awayM).add(this.centre).toArray();
  }

  /** What the lights are about, and how far from it the key light is drawn. */
  get about(): { centre: Vec3; awayM: number } {
    return { centre: this.centre.toArray(), awayM: SHOWN * this.awayM };
  }

  /** Keeps everything within a ball lit and its shadow sharp enough. */
  fit(centre: Vector3, radiusM: number): void {
    const away = radiusM * 4;
    this.centre.copy(centre);
    this.awayM = away;
    this.stand();
    const { camera } = this.key.shadow;
    const half = radiusM * 1.6;
    Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: away * 0.2, far: away * 3 });
    camera.updateProjectionMatrix();
    this.key.shadow.normalBias = radiusM * 0.03;
  }

  setShadows(on: boolean): void {
    this.key.castShadow = on;
  }

  setTheme(light: boolean): void {
    this.skyUsual = light ? 1.8 : 1.4;
    this.show(this.now);
    this.sky.groundColor.set(light ? '#9a96a2' : '#5c5560');
  }

  private stand(): void {
    for (const [light, from] of [[this.key, this.keyFrom], [this.rim, RIM_FROM], [this.fill, FILL_FROM]] as const) {
      light.position.copy(this.centre).addScaledVector(from, this.awayM);
      light.target.position.copy(this.centre);
    }
  }

  dispose(): void {
    this.key.dispose();
  }
}
