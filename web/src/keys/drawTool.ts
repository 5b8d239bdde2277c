/** Draws where the selected body goes from here on: a line in the plane through its middle that faces the view. */
import type { Session } from '../client/session.svelte';
import { type Vec3, rayOnPlane } from '../document/vector';
import type { Viewport } from '../stage/viewport';
import type { LeftTool, Pointer } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';
import { drawnPath } from './path';
import { keysOf } from './state.svelte';

export class PathDrawTool implements LeftTool {
  readonly doing = 'path-draw';
  private from: Vec3 | null = null;

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly viewport: Viewport,
  ) {}

  /** The line begins at the body, wherever it is pressed. */
  press(): void {
    this.from = this.viewport.body(this.studio.body)?.fleshNow?.origin ?? null;
    keysOf(this.studio).stroke = this.from ? [this.from] : null;
    if (this.session.transport?.playing) this.session.send({ do: 'pause' });
  }

  move(pointer: Pointer): void {
    const { stroke } = keysOf(this.studio);
    const to = this.from && rayOnPlane(this.viewport.rayThrough(pointer.x, pointer.y), this.from, this.viewport.orbit.forward);
    if (stroke && to) keysOf(this.studio).stroke = [...stroke, to];
  }

  release(): void {
    const { session, studio } = this;
    const { stroke } = keysOf(studio);
    const [frame, last, body] = [session.frame, session.transport?.range[1] ?? session.frame, studio.bodyPath];
    this.cancel();
    if (!stroke || !body) return;
    const drawn = drawnPath(session.document?.scene, body, stroke, frame, last);
    if (!drawn) {
      session.refused = last - frame < 2 ? 'Go to an earlier frame: the path leads from here to the end of the range.' : 'Draw a line to where it should go.';
      return;
    }
    session.edit(drawn.command);
    studio.select(drawn.path);
    keysOf(studio).point = null;
    studio.tool = 'key-pick';
  }

  cancel(): void {
    this.from = null;
    keysOf(this.studio).stroke = null;
  }
}
