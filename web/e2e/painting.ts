/** Finds places to paint on, and sets what is painted. */
import type { LookWord } from '../src/client/wire';
import type { Spot, Studio } from './studio';

export interface Wanted {
  on: 'skin' | 'section';
  /** Seen from within: the surface faces the axis. */
  inward?: boolean;
  /** Pixels from the body's upper middle. */
  near?: [number, number];
  /** Where the look has a value between these. */
  look?: LookWord;
  between?: [number, number];
}

/** A pixel of the page where the stage shows what is asked for: looked for outwards from the upper middle of the first body. */
export async function place(studio: Studio, wanted: Wanted): Promise<Spot> {
  const found = await studio.page.evaluate(({ on, inward, near = [0, 0], look, between }) => {
    const { viewport } = window.sinew;
    const box = document.querySelector('main')!.getBoundingClientRect();
    const { centre, reach } = viewport.body(0)!.box();
    const middle = viewport.pixelOf([centre.x, centre.y + 0.5 * reach[1], centre.z]);
    for (let radius = 0; radius < 260; radius += 7) {
      for (let turn = 0; turn < Math.max(1, radius); turn++) {
        const angle = (2 * Math.PI * turn) / Math.max(1, radius);
        const [x, y] = [middle.x + near[0]! + radius * Math.cos(angle), middle.y + near[1]! + radius * Math.sin(angle)];
        if (x < 60 || y < 60 || x > box.width - 30 || y > box.height - 60) continue;
        const hit = viewport.hitAt(x, y);
        if (!hit || hit.on !== on) continue;
        const faces = hit.on === 'skin' ? hit.atRest[0] * hit.normal[0] + hit.atRest[2] * hit.normal[2] : 0;
        // On the bell, not on a tentacle.
        if (inward !== undefined && (faces < 0 !== inward || hit.atRest[1] < 0.05 || Math.hypot(hit.atRest[0], hit.atRest[2]) < 0.12)) continue;
        const field = look && viewport.fields.valuesOf(0, look);
        const isWithin = (seen: ReturnType<typeof viewport.hitAt>) => {
          if (!between || !field) return true;
          if (!seen || seen.on !== on) return false;
          const value = field.values[viewport.fields.fleshNear(0, seen.atRest)]!;
          return value >= between[0] && value <= between[1];
        };
        // What is looked at is no thinner than what a picture shows for sure.
        const around = [[0, 0], [5, 0], [-5, 0], [0, 5], [0, -5]];
        if (!around.every(([dx, dy]) => isWithin(viewport.hitAt(x + dx!, y + dy!)))) continue;
        return { x: box.x + x, y: box.y + y };
      }
    }
    return null;
  }, wanted);
  if (!found) throw new Error(`the stage shows no such place: ${JSON.stringify(wanted)}`);
  return found;
}

/** Sets the painted value on the coloured slider. */
export async function slideTo(studio: Studio, share: number): Promise<void> {
  const box = (await studio.page.locator('[data-field=paint-value]').boundingBox())!;
  await studio.drag({ x: box.x + box.width / 2, y: box.y + 12 }, { x: box.x + share * box.width, y: box.y + 12 });
}
