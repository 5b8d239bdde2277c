/** The tools of the left button by the words of `studio.tool`: those that every workspace has, and those of workspaces. */
import type { Session } from '../client/session.svelte';
import { valueAt } from '../document/scene';
import { respondsToTouch } from '../document/touch';
import type { Viewport } from '../stage/viewport';
import { SelectTool } from '../tools/gizmo/selectTool';
import { handsOf } from '../tools/hands';
import { PullTool } from '../tools/pull/pullTool';
import { SurfaceBrush } from '../tools/surfaceBrush';
import { TouchTool } from '../tools/touchTool';
import type { LeftTool } from '../workspace/left';
import type { Studio } from '../workspace/studio.svelte';

/** A touch is answered by muscles that respond to it; without one it would leave frames stale for nothing. */
function whyUntouched(session: Session, body: number): string | null {
  const shown = session.scene?.bodies[body];
  if (!shown || respondsToTouch(valueAt(session.document?.scene, shown.path))) return null;
  return `No muscle of “${shown.name}” responds to touch: select a muscle and switch on Touch under Response.`;
}

export function makeLeftTools(session: Session, studio: Studio, viewport: Viewport): () => LeftTool {
  const hands = handsOf(session, studio, viewport);
  const pull = new PullTool(hands);
  const tools: Record<string, LeftTool> = {
    pull,
    select: new SelectTool(studio, viewport, null),
    move: new SelectTool(studio, viewport, 'move'),
    turn: new SelectTool(studio, viewport, 'turn'),
    scale: new SelectTool(studio, viewport, 'scale'),
    touch: new TouchTool(hands, (body) => whyUntouched(session, body), (why) => (session.refused = why), new SurfaceBrush(session, studio, viewport)),
  };
  for (const { leftTools } of studio.workspaces) Object.assign(tools, leftTools?.({ session, studio, viewport }));
  return () => tools[studio.tool] ?? pull;
}
