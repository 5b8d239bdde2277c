/** What the Motion workspace does to the scene. */
import type { JobInfo, SceneCommand } from '../document/generated/protocol';
import type { Scope } from '../workspace/scope';
import { type PlanKey, type PlanTrack, plansOf } from './read';

/** Keys the body where time is, as it is seen or at rest. */
export function poseHere({ session, studio }: Scope, from: 'shown' | 'rest'): void {
  session.send({ do: 'plan_key', body: studio.body, frame: session.frame, from });
}

/** Looks for the motion of a plan and those it is planned with. */
export function solve({ session }: Scope, plan: PlanTrack): void {
  session.send({ do: 'refine', director: plan.path });
}

export function removeKey({ session }: Scope, plan: PlanTrack, key: PlanKey): void {
  const command: SceneCommand = plan.keys.length === 1 ? { do: 'remove', path: plan.path } : { do: 'remove', path: `${plan.path}.keys[${key.index}]` };
  session.edit(command);
}

/** The plan that buttons and keys mean: the selected one, else the body's first. */
export function planAtHand({ session, studio }: Scope): PlanTrack | undefined {
  const plans = plansOf(session.document?.scene, studio.bodyPath);
  return plans.find(({ path }) => path === studio.selection) ?? plans[0];
}

/** The search for a plan that runs or ended last. */
export const searchOf = (jobs: readonly JobInfo[]): JobInfo | undefined => jobs.filter(({ kind, what }) => kind === 'search' && what.startsWith('plan')).at(-1);
