/** Ties the pulling gesture to the session and the viewport. */
import type { Session } from '../client/session.svelte';
import type { Hit } from '../document/generated/protocol';
import type { Vec3 } from '../document/vector';
import type { StageHit, Viewport } from '../stage/viewport';
import type { Studio } from '../workspace/studio.svelte';
import type { Hands } from './pull/gesture';

export function handsOf(session: Session, studio: Studio, viewport: Viewport): Hands {
  let held: { body: number; vertex: number; to: Vec3 } | null = null;
  const drawMark = (): void => {
    const at = held && viewport.body(held.body)?.vertexAt(held.vertex);
    if (held && at) viewport.mark.show(at, held.to);
    else viewport.mark.hide();
  };
  viewport.beforeDraw = drawMark; // the held point moves with every frame
  return {
    // An open cut is only known here; what it took away is not to be pulled.
    pick: (ray) => (viewport.fields.section.section ? Promise.resolve(asHit(viewport.hit(ray))) : session.pick(ray)),
    send: (command) => session.send(command),
    select: (body) => studio.selectBody(body),
    rayThrough: (x, y) => viewport.rayThrough(x, y),
    forward: () => viewport.orbit.forward,
    showPull(body, atRest, to) {
      const vertex = held?.body === body ? held.vertex : (viewport.body(body)?.vertexNear(atRest) ?? 0);
      held = { body, vertex, to };
      session.holding = true;
      viewport.draw();
    },
    hidePull() {
      held = null;
      session.holding = false;
      viewport.draw();
    },
  };
}

const asHit = (hit: StageHit | null): Hit | null => hit && { body: hit.body, at_rest: hit.atRest, at: hit.at };
