/** The Fields workspace: fields of muscles and materials are painted on bodies, and cuts show them inside. */
import { registry } from '../workspace/registry';
import type { BrushValue, KeyHint, Workspace } from '../workspace/workspace';
import type { Studio } from '../workspace/studio.svelte';
import ChartDock from './ChartDock.svelte';
import DirectionsBar from './DirectionsBar.svelte';
import FieldsPanel from './FieldsPanel.svelte';
import MuscleSections from './MuscleSections.svelte';
import PaintInspector from './PaintInspector.svelte';
import PaintOverlay from './PaintOverlay.svelte';
import PaintTools from './PaintTools.svelte';
import { muscleOf } from './muscle';
import { Brush } from './paint/brush';
import { CutTool } from './paint/cutTool';
import { EraseTool } from './paint/eraseTool';
import { FillTool } from './paint/fillTool';
import { StrokeTool } from './paint/strokeTool';
import { FIELD_RANGES, isFactor } from './paints';
import { muscleRows } from './rows';
import { FieldsState, RING_TOOLS, fieldsOf } from './state.svelte';
import { watchFields } from './watch.svelte';

const BRUSH_KEYS: readonly KeyHint[] = [['LMB', 'Paint'], ['Ctrl', 'Invert'], ['Shift', 'Smooth'], ['F', 'Size'], ['Shift F', 'Value'], ['C', 'Cutting stroke']];
const FILL_KEYS = BRUSH_KEYS.filter(([key]) => key !== 'Shift');

/** The painted value, as Shift+F sets it. */
function paintedValue(studio: Studio): BrushValue {
  const fields = fieldsOf(studio);
  const { field } = fields;
  const [low, high] = field === 'directions' ? [0, 1] : FIELD_RANGES[field];
  return { now: fields.value, low, high, isFactor: isFactor(field), set: (to) => (fields.value = to) };
}

const fields: Workspace = {
  id: 'fields',
  name: 'Fields',
  icon: 'fields',
  firstTool: 'pull',
  firstTab: 'charts',
  State: FieldsState,
  leftTools({ session, studio, viewport }) {
    const brush = new Brush(session, studio, viewport);
    return {
      'paint-face': new FillTool(brush, 'face'),
      'paint-flat': new FillTool(brush, 'flat'),
      'paint-stroke': new StrokeTool(brush, 'value'),
      'paint-erase': new EraseTool(brush),
      direction: new StrokeTool(brush, 'direction'),
      cut: new CutTool(brush),
    };
  },
  toolKeys: {
    'paint-face': FILL_KEYS,
    'paint-flat': FILL_KEYS,
    'paint-stroke': BRUSH_KEYS,
    'paint-erase': [['LMB', 'Erase'], ['F', 'Size']],
    direction: [['LMB', 'Draw along the fibres']],
    cut: [['LMB', 'Draw across the body']],
  },
  help: [
    ['1', 'Face fill'], ['2', 'Flat fill'], ['3', 'Stroke'], ['E', 'Erase'], ['D', 'Direction stroke'], ['C', 'Cutting stroke'],
    ['T', 'Touch'], ['Q', 'Select and pull'], ['F, move', 'Brush size'], ['Shift F, move', 'Painted value'], ['[ ]', 'Brush size in steps'],
    ['Ctrl', 'Paint the opposite value'], ['Shift', 'Smooth'],
  ],
  brush: { tools: [...RING_TOOLS, 'touch'], value: paintedValue },
  Left: FieldsPanel,
  leftLeads: true,
  hidesTakes: true,
  Inspector: PaintInspector,
  layers: [PaintOverlay, PaintTools],
  ViewBar: DirectionsBar,
  overlayItems: (studio) => [{ name: 'Paint marks', checked: fieldsOf(studio).showPaint, run: () => (fieldsOf(studio).showPaint = !fieldsOf(studio).showPaint) }],
  lookOf: (scene, body, selection) => muscleOf(scene, body, selection)?.stageName ?? null,
  watch: watchFields,
  timeline: {
    owners: muscleRows,
    docks: [{ id: 'charts', name: 'Charts', about: 'The muscle’s rates over one cycle', icon: 'muscle', keys: ['Alt+H'], Panel: ChartDock }],
  },
  directors: { muscle: { icon: 'muscle', Sections: MuscleSections } },
};

registry.register(fields);
