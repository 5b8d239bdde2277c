/** The scene's main light at a frame, as the page shows it. */
import type { Json } from './generated/protocol';
import { numberAt } from './channel';
import { isTable, valueAt } from './scene';
import type { Vec3 } from './vector';

export interface LightNow {
  /** The direction it comes from, of any length. */
  from: Vec3;
  /** 1 is usual. */
  strength: number;
  /** Brightness from everywhere; 0.35 is usual. */
  ambient: number;
  /** Red, green and blue from 0 to 1 as a screen shows them; none leaves it to the page. */
  colour: Vec3 | null;
}

/** As scenes without a light of their own have it (`sinew_scene/src/model/world.rs`). */
export const USUAL_LIGHT: LightNow = { from: [0.5, 1, 0.7], strength: 1, ambient: 0.35, colour: null };

export function lightAt(scene: Json | undefined, frame: number): LightNow {
  const light = valueAt(scene, 'light');
  if (!isTable(light)) return USUAL_LIGHT;
  const from = Array.isArray(light.from) ? (USUAL_LIGHT.from.map((usual, i) => numberAt((light.from as Json[])[i], frame) ?? usual) as Vec3) : USUAL_LIGHT.from;
  return {
    from: Math.hypot(...from) > 1e-6 ? from : USUAL_LIGHT.from,
    strength: numberAt(light.strength, frame) ?? USUAL_LIGHT.strength,
    ambient: numberAt(light.ambient, frame) ?? USUAL_LIGHT.ambient,
    colour: colourOf(light.colour),
  };
}

function colourOf(json: Json | undefined): Vec3 | null {
  if (Array.isArray(json)) return json.map(Number) as Vec3;
  const digits = typeof json === 'string' ? /^#([0-9a-f]{6})$/i.exec(json)?.[1] : undefined;
  return digits ? ([0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16) / 255) as Vec3) : null;
}
