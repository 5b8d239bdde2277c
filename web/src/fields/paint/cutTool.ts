/** A cutting stroke: a line across the view opens the body along it. A straight one is a plane that can be set further. */
import type { Vec3 } from '../../document/vector';
import { add, dot, scale, sub } from '../../document/vector';
import { swingTo } from '../../stage/swing';
import type { LeftTool, Pointer } from '../../workspace/left';
import { drawnCut, isStraight, normalOf, strokeCut } from '../cutPlane';
import { fieldsOf } from '../state.svelte';
import type { Brush } from './brush';

/** Shorter lines are a slip of the hand. */
const SHORTEST_PX = 24;

export class CutTool implements LeftTool {
  readonly doing = 'cut';
  private line: Pointer[] = [];

  constructor(private readonly brush: Brush) {}

  press(pointer: Pointer): void {
    this.line = [pointer];
  }

  move(pointer: Pointer): void {
    const last = this.line.at(-1);
    if (last && Math.hypot(pointer.x - last.x, pointer.y - last.y) >= 3) this.line.push(pointer);
    fieldsOf(this.brush.studio).cutLine = [...this.line];
  }

  release(): void {
    const { viewport, studio } = this.brush;
    const [first, last] = [this.line[0], this.line.at(-1)];
    const ball = viewport.body(studio.body)?.box();
    if (first && last && ball && Math.hypot(last.x - first.x, last.y - first.y) >= SHORTEST_PX) {
      const { pane } = viewport;
      if (isStraight(this.line)) {
        const cut = drawnCut(studio.body, ball, pane.ray(first.x, first.y), pane.ray(last.x, last.y));
        fieldsOf(studio).cut = cut;
        // It was drawn from its edge: the view turns until one looks onto it.
        if (cut) swingTo(pane.orbit, normalOf(cut), () => viewport.draw());
      } else {
        const middle: Vec3 = [ball.centre.x, ball.centre.y, ball.centre.z];
        const { forward } = pane.orbit;
        const points = this.line.map(({ x, y }): Vec3 => {
          const ray = pane.ray(x, y);
          return add(ray.origin, scale(ray.direction, dot(sub(middle, ray.origin), forward) / dot(ray.direction, forward)));
        });
        fieldsOf(studio).cut = strokeCut(studio.body, ball, points, forward);
      }
    }
    this.cancel();
  }

  cancel(): void {
    this.line = [];
    fieldsOf(this.brush.studio).cutLine = null;
  }
}
