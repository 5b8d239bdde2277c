/** How bodies are seen, in each view: skin, flesh, wires or a field, and what lies about them. No part of the scene, lost on reload. */
import type { LookWord } from '../client/wire';
import type { DirectionLook } from '../stage/fieldShow';
import type { PaneLook, ViewKind } from '../stage/pane';
import type { Shade } from '../stage/softBody';

export class Looks {
  /** What each view shows. `own` once it was chosen there; until then it is as in the first one. */
  private shown = $state<(PaneLook & { own: boolean })[]>(Array.from({ length: 4 }, () => ({ shade: 'skin', look: null, own: false })));
  /** The view that was used last: what the bar above the stage is about. */
  view = $state(0);
  viewKind = $state<ViewKind>('perspective');
  directions = $state<DirectionLook | null>(null);
  showGround = $state(true);

  /** What a view shows; colours only where its shade has them. */
  showsIn(view: number): PaneLook {
    const shown = this.shown[view]?.own ? this.shown[view] : this.shown[0]!;
    return { shade: shown.shade, look: shown.shade === 'skin' ? null : shown.look };
  }

  /** What the skin is coloured by. */
  get look(): LookWord | null {
    return this.now.look;
  }

  set look(look: LookWord | null) {
    this.put({ ...this.now, look });
  }

  get shade(): Shade {
    return this.now.shade;
  }

  set shade(shade: Shade) {
    this.put({ ...this.now, shade });
  }

  /** Fields that the bodies have nothing of are seen no more: the bodies are, as they look. */
  leave(looks: ReadonlySet<LookWord>): void {
    this.shown = this.shown.map((view) => (view.shade === 'field' && view.look !== null && looks.has(view.look) ? { ...view, shade: 'skin' } : view));
    this.directions = null;
  }

  private get now(): PaneLook {
    return this.shown[this.view]?.own ? this.shown[this.view]! : this.shown[0]!;
  }

  private put({ shade, look }: PaneLook): void {
    this.shown[this.view] = { shade, look, own: true };
  }
}
