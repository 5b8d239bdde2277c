/** The Stage workspace: bodies are pulled, touched, pinned and put where they belong. */
import { registry } from '../workspace/registry';
import type { Workspace } from '../workspace/workspace';
import PinLayer from './pin/PinLayer.svelte';
import { PinTool } from './pin/pinTool';
import { PinState } from './pin/state.svelte';
import { stageActions } from './actions';

const PIN_KEYS = [['Shift', 'Add to the set'], ['Ctrl', 'Take away']] as const;

const stage: Workspace = {
  id: 'stage',
  name: 'Stage',
  icon: 'scene',
  firstTool: 'pull',
  firstTab: 'dope',
  State: PinState,
  actions: stageActions,
  rail: {
    name: 'Tools',
    groups: [['tool-select', 'tool-move', 'tool-turn', 'tool-scale'], ['tool-pull', 'tool-touch'], ['tool-pin-box', 'tool-pin-lasso', 'tool-pin-brush']],
  },
  leftTools: ({ session, studio, viewport }) => ({
    'pin-box': new PinTool(session, studio, viewport, 'box'),
    'pin-lasso': new PinTool(session, studio, viewport, 'lasso'),
    'pin-brush': new PinTool(session, studio, viewport, 'brush'),
  }),
  toolKeys: {
    'pin-box': [['LMB', 'Drag a box'], ...PIN_KEYS],
    'pin-lasso': [['LMB', 'Draw around'], ...PIN_KEYS],
    'pin-brush': [['LMB', 'Brush'], ...PIN_KEYS, ['F', 'Size']],
  },
  brush: { tools: ['pin-brush'] },
  layers: [PinLayer],
};

registry.register(stage);
