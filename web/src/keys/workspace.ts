/** The Keys workspace: key shapes of bodies, their paths, and edits of takes. */
import type { Workspace } from '../workspace/workspace';
import { registry } from '../workspace/registry';
import KeyLayer from './KeyLayer.svelte';
import KeySections from './KeySections.svelte';
import KeysPanel from './KeysPanel.svelte';
import PathLayer from './PathLayer.svelte';
import TakeSections from './TakeSections.svelte';
import { keyActions } from './actions';
import { PathDrawTool } from './drawTool';
import { KeyFormTool } from './formTool';
import { TakeGrabTool } from './grabTool';
import { KeyShow } from './keyShow';
import { PartBox, PartBrush } from './partTools';
import { KeyPickTool } from './pickTool';
import { KeyPullTool } from './pullTool';
import { keyRows } from './rows';
import { shapeKeys } from './shapeKeys';
import { KeysState, keysOf } from './state.svelte';
import { listenForKeys, watchKeys } from './watch.svelte';

const keys: Workspace = {
  id: 'keys',
  name: 'Keys',
  icon: 'key',
  firstTool: 'key-pick',
  firstTab: 'dope',
  State: KeysState,
  actions: keyActions,
  rail: {
    name: 'Key tools',
    groups: [
      ['tool-key-pick', 'tool-pull'],
      ['tool-key-pull', 'tool-key-paint', 'tool-key-box'],
      ['tool-key-scale', 'tool-key-turn', 'tool-key-bend'],
      ['key-shape', 'tool-path-draw', 'tool-take-grab'],
      ['onion'],
    ],
  },
  leftTools: ({ session, studio, viewport }) => ({
    'key-pick': new KeyPickTool(session, studio, viewport),
    'path-draw': new PathDrawTool(session, studio, viewport),
    'take-grab': new TakeGrabTool(session, studio, viewport),
    'key-pull': new KeyPullTool(session, studio, viewport),
    'key-paint': new PartBrush(session, studio, viewport),
    'key-box': new PartBox(session, studio, viewport),
    'key-scale': new KeyFormTool(session, studio, viewport, 'scale'),
    'key-turn': new KeyFormTool(session, studio, viewport, 'turn'),
    'key-bend': new KeyFormTool(session, studio, viewport, 'bend'),
  }),
  toolKeys: {
    'key-pick': [['LMB', 'Choose a key'], ['I', 'Key shape'], ['Shift+I', 'Key at rest'], ['Shift+D', 'Copy here'], ['X', 'Delete'], ['P', 'Onion skins']],
    'path-draw': [['LMB', 'Draw from the body on'], ['Esc', 'Give up']],
    'take-grab': [['LMB', 'Drag the take here'], ['Ctrl', 'Falloff only'], ['Esc', 'Give back']],
    'key-pull': [['LMB', 'Drag a place'], ['Ctrl', 'Falloff only'], ['Esc', 'Give back']],
    'key-paint': [['LMB', 'Paint a part'], ['Ctrl', 'Take away']],
    'key-box': [['LMB', 'Box a part'], ['Shift', 'Add'], ['Ctrl', 'Take away'], ['Click', 'Whole body']],
    'key-scale': [['↕', 'Squash and stretch'], ['↔', 'Size'], ['Ctrl', 'Snap'], ['Shift', 'Slow'], ['Esc', 'Give back']],
    'key-turn': [['↔', 'Turn'], ['Ctrl', 'Snap'], ['Shift', 'Slow'], ['Esc', 'Give back']],
    'key-bend': [['↔', 'Bend'], ['Ctrl', 'Snap'], ['Shift', 'Slow'], ['Esc', 'Give back']],
  },
  Left: KeysPanel,
  leftLeads: true,
  layers: [KeyLayer, PathLayer],
  drawings: [KeyShow],
  begin: listenForKeys,
  watch: watchKeys,
  forScripts: ({ studio }) => keysOf(studio),
  timeline: { rows: keyRows, keys: shapeKeys },
  directors: {
    key_shapes: { icon: 'key', Sections: KeySections },
    // A take is edited where it is seen.
    take_edit: { icon: 'take', isMadeElsewhere: true, Sections: TakeSections },
  },
};

registry.register(keys);
