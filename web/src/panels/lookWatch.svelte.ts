/** Keeps stage and server in step with how bodies are seen: views, shades, looks and directions. */
import type { Session } from '../client/session.svelte';
import type { LookWord } from '../client/wire';
import type { Viewport } from '../stage/viewport';
import type { Studio } from '../workspace/studio.svelte';

/** To be called while a component is set up: its effects live as long as the component. */
export function watchLooks(session: Session, studio: Studio, viewport: () => Viewport | null): void {
  const { looks } = studio;
  const directions = $derived(studio.current.lookOf ? looks.directions : null);
  $effect(() => viewport()?.setLooks([0, 1, 2, 3].map((view) => looks.showsIn(view))));
  $effect(() => viewport()?.setGround(looks.showGround));
  $effect(() => viewport()?.setPaneCount(studio.views));
  $effect(() => viewport()?.fields.setDirections(directions));
  /** Of several directors of a body a workspace may show one; the others show all of them together. */
  const named = $derived.by((): string => {
    const { lookOf } = studio.current;
    if (!lookOf) return '';
    return JSON.stringify((session.scene?.bodies ?? []).map(({ path }) => lookOf(session.document?.scene, path, studio.selection)));
  });
  $effect(() => {
    const bodies = session.scene?.bodies.length ?? 0; // asked again whenever the stage was made anew
    const { look } = looks.showsIn(looks.view);
    const others = Array.from({ length: studio.views }, (_, view) => looks.showsIn(view).look);
    const beside = [...new Set(others)].filter((other) => other !== null && other !== look) as LookWord[];
    const whose = named === '' ? [] : (JSON.parse(named) as (string | null)[]);
    if (session.link !== 'live') return;
    for (let body = 0; body < bodies; body++) session.look(body, look, directions, beside, whose[body] ?? null);
  });
}
