/** Commands of the Motion workspace, for buttons, keys and the palette. */
import type { Action } from '../ui/action';
import type { IconName } from '../ui/icons';
import type { Scope } from '../workspace/scope';
import { planAtHand, poseHere, solve } from './doing';

export function motionActions(scope: Scope): Action[] {
  const here = (): string | null => (scope.studio.workspace === 'motion' ? null : 'A command of the Motion workspace');
  const act = (id: string, name: string, icon: IconName, keys: string[], run: () => void, why: () => string | null = here): Action => ({ id, name, group: 'Tools', icon, keys, run, why });
  const withPlan = (): string | null => here() ?? (planAtHand(scope) ? null : 'The body has no plan yet: key a pose');
  return [
    act('plan-key', 'Key the pose here', 'key', ['I'], () => poseHere(scope, 'shown')),
    act('plan-rest', 'Key the body at rest here', 'body', ['Shift+I'], () => poseHere(scope, 'rest')),
    act('plan-solve', 'Plan the motion', 'goal', [], () => solve(scope, planAtHand(scope)!), withPlan),
  ];
}
