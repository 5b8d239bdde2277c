/** The tools of the left button by the words of `studio.tool`. */
import type { Session } from '../client/session.svelte';
import type { Studio } from '../workspace/studio.svelte';
import type { Viewport } from '../stage/viewport';
import { valueAt } from '../document/sceneValue';
import { respondsToTouch } from '../document/touch';
import { handsOf } from '../tools/hands';
import { SelectTool } from '../tools/gizmo/selectTool';
import { PathDrawTool } from '../keys/drawTool';
import { TakeGrabTool } from '../keys/grabTool';
import { KeyFormTool } from '../keys/formTool';
import { PartBox, PartBrush } from '../keys/partTools';
import { KeyPickTool } from '../keys/pickTool';
import { KeyPullTool } from '../keys/pullTool';
import { PickTool } from '../metaphors/pickTool';
import type { LeftTool } from '../workspace/left';
import { Brush } from '../fields/paint/brush';
import { CutTool } from '../fields/paint/cutTool';
import { EraseTool } from '../fields/paint/eraseTool';
import { FillTool } from '../fields/paint/fillTool';
import { StrokeTool } from '../fields/paint/strokeTool';
import { PinTool } from '../staging/pin/pinTool';
import { PullTool } from '../tools/pull/pullTool';
import { TouchTool } from '../tools/touchTool';

/** A touch is answered by muscles that respond to it; without one it would leave frames stale for nothing. */
function whyUntouched(session: Session, body: number): string | null {
  const shown = session.scene?.bodies[body];
  if (!shown || respondsToTouch(valueAt(session.document?.scene, shown.path))) return null;
  return `No muscle of “${shown.name}” responds to touch: select a muscle and switch on Touch under Response.`;
}

export function makeLeftTools(session: Session, studio: Studio, viewport: Viewport): () => LeftTool {
  const hands = handsOf(session, studio, viewport);
  const brush = new Brush(session, studio, viewport);
  const pull = new PullTool(hands);
  const tools: Record<string, LeftTool> = {
    pull,
    select: new SelectTool(studio, viewport, null),
    move: new SelectTool(studio, viewport, 'move'),
    turn: new SelectTool(studio, viewport, 'turn'),
    scale: new SelectTool(studio, viewport, 'scale'),
    touch: new TouchTool(hands, (body) => whyUntouched(session, body), (why) => (session.refused = why), brush),
    'pin-box': new PinTool(session, studio, viewport, 'box'),
    'pin-lasso': new PinTool(session, studio, viewport, 'lasso'),
    'pin-brush': new PinTool(session, studio, viewport, 'brush'),
    'paint-face': new FillTool(brush, 'face'),
    'paint-flat': new FillTool(brush, 'flat'),
    'paint-stroke': new StrokeTool(brush, 'value'),
    'paint-erase': new EraseTool(brush),
    direction: new StrokeTool(brush, 'direction'),
    cut: new CutTool(brush),
    'key-pick': new KeyPickTool(session, studio, viewport),
    'path-draw': new PathDrawTool(session, studio, viewport),
    'take-grab': new TakeGrabTool(session, studio, viewport),
    'key-pull': new KeyPullTool(session, studio, viewport),
    'key-paint': new PartBrush(session, studio, viewport),
    'key-box': new PartBox(session, studio, viewport),
    'key-scale': new KeyFormTool(session, studio, viewport, 'scale'),
    'key-turn': new KeyFormTool(session, studio, viewport, 'turn'),
    'key-bend': new KeyFormTool(session, studio, viewport, 'bend'),
    pick: new PickTool(studio, viewport),
    'add-bend': new PickTool(studio, viewport, 'bend'),
    'add-twist': new PickTool(studio, viewport, 'twist'),
    'add-stretch': new PickTool(studio, viewport, 'stretch'),
    'add-compress': new PickTool(studio, viewport, 'compress'),
  };
  return () => tools[studio.tool] ?? pull;
}
