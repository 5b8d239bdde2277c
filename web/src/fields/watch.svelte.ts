/** Keeps stage and server in step with what the workspace wants to see: fields that bodies have, and the cut. */
import { untrack } from 'svelte';
import type { Session } from '../client/session.svelte';
import { entryPath, list } from '../document/scene';
import type { Viewport } from '../stage/viewport';
import type { Studio } from '../workspace/studio.svelte';
import { type CutPlane, normalOf, throughOf } from './cutPlane';
import { muscleOf } from './muscle';
import { actsOf } from './paints';
import { MUSCLE_LOOKS, fieldsOf } from './state.svelte';

/** To be called while a component is set up: its effects live as long as the component. */
export function watchFields(session: Session, studio: Studio, viewport: () => Viewport | null): void {
  const fields = fieldsOf(studio);
  askForCut(session, studio, viewport);
  // A cut along a layer needs the layers.
  $effect(() => {
    if (fields.onLayer !== null) untrack(() => fields.show('layer')); // which looks at what is shown before it changes it
  });
  // Another scene whose bodies have no muscle shows skins, not fields of nothing.
  let scene: string | null = null;
  $effect(() => {
    const { document } = session;
    if (!document || !session.scene || document.name === scene) return;
    scene = document.name;
    const hasMuscle = list(document.scene, 'body').some((_, i, bodies) => muscleOf(document.scene, entryPath('body', bodies, i), null) !== null);
    if (!hasMuscle) untrack(() => studio.looks.leave(MUSCLE_LOOKS));
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

/** The cut is said in the world as the body is now, and moves with the flesh from then on. */
function askForCut(session: Session, studio: Studio, viewport: () => Viewport | null): void {
  const fields = fieldsOf(studio);
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
function followed(cut: CutPlane, viewport: Viewport | null): [number, number, number] {
  const through = throughOf(cut);
  const now = viewport?.body(cut.body)?.box().centre;
  if (!now) return through;
  return [through[0] + now.x - cut.middle[0], through[1] + now.y - cut.middle[1], through[2] + now.z - cut.middle[2]];
}
