/** The Motion workspace: poses of a body at frames, and the plan of its motion through them. */
import { registry } from '../workspace/registry';
import type { Workspace } from '../workspace/workspace';
import MotionPanel from './MotionPanel.svelte';
import { motionActions } from './actions';
import { planRows } from './rows';

const motion: Workspace = {
  id: 'motion',
  name: 'Motion',
  icon: 'path',
  firstTool: 'pull',
  firstTab: 'dope',
  actions: motionActions,
  rail: { name: 'Motion tools', groups: [['tool-pull', 'tool-move', 'tool-turn'], ['plan-key', 'plan-rest', 'plan-solve']] },
  help: [['I', 'Key the pose here'], ['Shift+I', 'Key the body at rest here']],
  Left: MotionPanel,
  leftLeads: true,
  timeline: { rows: planRows },
  directors: { plan: { icon: 'path', isMadeElsewhere: true } },
};

registry.register(motion);
