/** Keeps stage and server in step with what the page wants to see: shade, looks, directions, and the cut. */
import { untrack } from 'svelte';
import type { Session } from '../client/session.svelte';
import type { LookWord } from '../client/wire';
import type { Studio } from '../workspace/studio.svelte';
import { normalOf, throughOf } from './cutPlane';
import { actsOf } from './paints';
import { entryPath, list } from '../document/scene';
import { muscleOf } from './muscle';
import type { Viewport } from '../stage/viewport';

/** To be called while a component is set up: its effects live as long as the component. */
export function watchFields(session: Session, studio: Studio, viewport: () => Viewport | null): void {
  const { fields } = studio;
  $effect(() => viewport()?.setLooks([0, 1, 2, 3].map((view) => fields.showsIn(view))));
  $effect(() => viewport()?.setGround(fields.showGround));
  $effect(() => viewport()?.setPaneCount(studio.views));
  $effect(() => viewport()?.fields.setDirections(studio.workspace === 'fields' ? fields.directions : null));
  askForLooks(session, studio);
  askForCut(session, studio, viewport);
  // Another scene whose bodies have no muscle shows skins, not fields of nothing.
  let scene: string | null = null;
  $effect(() => {
    const { document } = session;
    if (!document || !session.scene || document.name === scene) return;
    scene = document.name;
    const hasMuscle = list(document.scene, 'body').some((_, i, bodies) => muscleOf(document.scene, entryPath('body', bodies, i), null) !== null);
    if (!hasMuscle) untrack(() => fields.leaveMuscles());
  });
  // A new scene, or another body: what was chosen in the list is something else now.
  $effect(() => {
    void session.scene?.name;
    void session.selected;
    fields.chosen = null;
    fields.cut = null;
    fields.onLayer = null;
  });
}

function askForLooks(session: Session, studio: Studio): void {
  const { fields } = studio;
  /** Of several muscles of a body the one that is edited shows, in the Fields workspace; on the stage all of them together. */
  const named = $derived.by((): string => {
    if (studio.workspace !== 'fields') return '';
    const names = (session.scene?.bodies ?? []).map(({ path }) => muscleOf(session.document?.scene, path, studio.selection)?.stageName ?? null);
    return JSON.stringify(names);
  });
  const directors = (): (string | null)[] => (named === '' ? [] : (JSON.parse(named) as (string | null)[]));
  $effect(() => {
    const bodies = session.scene?.bodies.length ?? 0; // asked again whenever the stage was made anew
    const { look } = fields.showsIn(fields.view);
    const directions = studio.workspace === 'fields' ? fields.directions : null;
    const others = Array.from({ length: studio.views }, (_, view) => fields.showsIn(view).look);
    const beside = [...new Set(others)].filter((other) => other !== null && other !== look) as LookWord[];
    const whose = directors();
    if (session.link !== 'live') return;
    for (let body = 0; body < bodies; body++) session.look(body, look, directions, beside, whose[body] ?? null);
  });
  // A cut along a layer needs the layers.
  $effect(() => {
    if (fields.onLayer !== null) untrack(() => fields.show('layer')); // which looks at what is shown before it changes it
  });
}

/** The cut is said in the world as the body is now, and moves with the flesh from then on. */
function askForCut(session: Session, studio: Studio, viewport: () => Viewport | null): void {
  const { fields } = studio;
  let shown = false;
  $effect(() => {
    const { cut, onLayer } = fields;
    void session.scene;
    const muscle = muscleOf(session.document?.scene, studio.bodyPath, studio.selection);
    const hasLayers = muscle !== null && actsOf(muscle.json, 'layer').length > 0;
    if (session.link !== 'live' || !session.scene) return;
    const inFields = studio.workspace === 'fields';
    if (inFields && onLayer !== null && hasLayers && studio.tool === 'direction') {
      viewport()?.fields.section.setRelief(true);
      session.cut(studio.body, { layer: onLayer });
      shown = true;
    } else if (inFields && cut) {
      viewport()?.fields.section.setRelief(cut.stroke !== null);
      session.cut(cut.body, cut.stroke ? { stroke: cut.stroke } : { plane: { through: followed(cut, viewport()), normal: normalOf(cut) } });
      shown = true;
    } else if (shown) {
      shown = false;
      session.cut(studio.body);
      viewport()?.fields.hideSection();
    }
  });
}

/** The plane's place, carried along with the body since it was set. */
function followed(cut: NonNullable<Studio['fields']['cut']>, viewport: Viewport | null): [number, number, number] {
  const through = throughOf(cut);
  const now = viewport?.body(cut.body)?.box().centre;
  if (!now) return through;
  return [through[0] + now.x - cut.middle[0], through[1] + now.y - cut.middle[1], through[2] + now.z - cut.middle[2]];
}
