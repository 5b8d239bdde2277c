/** The left button in the Keys workspace: a click chooses the key shape that is seen there, or the body. */
import type { Session } from '../client/session.svelte';
import type { Viewport } from '../stage/viewport';
import type { LeftTool, Pointer } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';
import { chooseKey } from './chosen';
import { KeyShow } from './keyShow';
import { shapeKeysOf } from './read';
import { keysOf } from './state.svelte';

export class KeyPickTool implements LeftTool {
  readonly doing = 'key-pick';

  constructor(
    private readonly session: Session,
    private readonly studio: Studio,
    private readonly viewport: Viewport,
  ) {}

  press(pointer: Pointer): void {
    // Points of the path take presses on them before this tool does.
    keysOf(this.studio).point = null;
    const ray = this.viewport.rayThrough(pointer.x, pointer.y);
    const [body, shown] = [this.viewport.hit(ray), this.viewport.drawing(KeyShow).hit(ray)];
    if (body && (!shown || body.distanceM < shown.distanceM)) return this.studio.selectBody(body.body);
    const key = shown && shapeKeysOf(this.session.document?.scene, this.studio.bodyPath).find(({ director, index }) => director === shown.key.director && index === shown.key.key);
    if (key) chooseKey(this.session, this.studio, key);
  }

  move(): void {}
  release(): void {}
  cancel(): void {}
}
