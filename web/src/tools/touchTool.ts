import type { LeftTool, Pointer } from '../workspace/left';
import type { Hands } from './pull/gesture';

/** Taps a body where the pointer is: one that responds sends a wave from there. */
export class TouchTool implements LeftTool {
  readonly doing = 'touch';

  constructor(
    private readonly hands: Pick<Hands, 'pick' | 'rayThrough' | 'send' | 'select'>,
    /** Says why a touch of this body would do nothing; null where it does something. */
    private readonly whyNot: (body: number) => string | null,
    private readonly refuse: (why: string) => void,
    private readonly ring: Pick<LeftTool, 'hover'>,
  ) {}

  press(pointer: Pointer): void {
    void this.hands.pick(this.hands.rayThrough(pointer.x, pointer.y)).then((hit) => {
      if (!hit) return;
      this.hands.select(hit.body);
      const why = this.whyNot(hit.body);
      if (why) return this.refuse(why);
      this.hands.send({ do: 'touch', body: hit.body, at_rest: hit.at_rest });
    });
  }

  hover: NonNullable<LeftTool['hover']> = (pointer, held) => this.ring.hover?.(pointer, held);
  move(): void {}
  release(): void {}
  cancel(): void {}
}
