/** A soft studio: sky and floor light, one key light with a shadow, a cool rim from behind. */
import { DirectionalLight, Group, HemisphereLight, Vector3 } from 'three';

const KEY_FROM = new Vector3(0.55, 1.35, 0.75).normalize();
const RIM_FROM = new Vector3(-0.7, 0.55, -0.9).normalize();
const FILL_FROM = new Vector3(-0.9, 0.35, 0.6).normalize();

export class Lights {
  readonly group = new Group();
  private readonly sky = new HemisphereLight('#f4f6ff', '#5c5560', 1.4);
  private readonly key = new DirectionalLight('#fff1e2', 1.75);
  private readonly rim = new DirectionalLight('#d8e0f6', 1.2);
  private readonly fill = new DirectionalLight('#e6ecff', 0.5);

  constructor() {
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(512, 512);
    this.key.shadow.radius = 4;
    this.key.shadow.intensity = 0.75;
    this.key.shadow.bias = -0.002;
    for (const light of [this.key, this.rim, this.fill]) this.group.add(light, light.target);
    this.group.add(this.sky);
  }

  /** Keeps everything within a ball lit and its shadow sharp enough. */
  fit(centre: Vector3, radiusM: number): void {
    const away = radiusM * 4;
    for (const [light, from] of [[this.key, KEY_FROM], [this.rim, RIM_FROM], [this.fill, FILL_FROM]] as const) {
      light.position.copy(centre).addScaledVector(from, away);
      light.target.position.copy(centre);
    }
    const { camera } = this.key.shadow;
    const half = radiusM * 1.6;
    Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: away * 0.2, far: away * 3 });
    camera.updateProjectionMatrix();
    this.key.shadow.normalBias = radiusM * 0.03;
  }

  setTheme(light: boolean): void {
    this.sky.intensity = light ? 1.8 : 1.4;
    this.sky.groundColor.set(light ? '#9a96a2' : '#5c5560');
  }

  dispose(): void {
    this.key.dispose();
  }
}
