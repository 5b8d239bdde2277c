/** The Metaphors workspace: bends, twists, stretches and compressions that are put on bodies. */
import { registry } from '../workspace/registry';
import type { Workspace } from '../workspace/workspace';
import MetaphorSections from './MetaphorSections.svelte';
import MetaphorsPanel from './MetaphorsPanel.svelte';
import WidgetLayer from './WidgetLayer.svelte';
import { metaphorActions } from './actions';
import { clipsOf } from './clips';
import { listenForGhosts, watchGhosts } from './ghostWatch.svelte';
import { NextGhosts } from './nextGhosts';
import { PickTool } from './pickTool';
import { ACT_ICONS, actOf, metaphorsOf, textOf } from './read';
import { driveUnit, isMetaphorForce, resultOf } from './result';
import { MetaphorState } from './state.svelte';
import { WidgetShow } from './widgetShow';

const metaphors: Workspace = {
  id: 'metaphors',
  name: 'Metaphors',
  icon: 'bend',
  firstTool: 'pick',
  firstTab: 'curves',
  State: MetaphorState,
  actions: metaphorActions,
  rail: {
    name: 'Metaphor tools',
    groups: [['tool-pick', 'tool-pull'], ['tool-add-bend', 'tool-add-twist', 'tool-add-stretch', 'tool-add-compress'], ['preview']],
  },
  leftTools: ({ studio, viewport }) => ({
    pick: new PickTool(studio, viewport),
    'add-bend': new PickTool(studio, viewport, 'bend'),
    'add-twist': new PickTool(studio, viewport, 'twist'),
    'add-stretch': new PickTool(studio, viewport, 'stretch'),
    'add-compress': new PickTool(studio, viewport, 'compress'),
  }),
  toolKeys: {
    pick: [['LMB', 'Pick a place'], ['1–4', 'Put a metaphor'], ['M', 'Mute'], ['S', 'Solo'], ['P', 'Ghosts']],
    'add-bend': [['LMB', 'Put it here']],
    'add-twist': [['LMB', 'Put it here']],
    'add-stretch': [['LMB', 'Put it here']],
    'add-compress': [['LMB', 'Put it here']],
  },
  Left: MetaphorsPanel,
  layers: [WidgetLayer],
  drawings: [WidgetShow, NextGhosts],
  begin: listenForGhosts,
  watch: watchGhosts,
  forScripts: ({ viewport }) => ({ ghosts: viewport.drawing(NextGhosts), widgets: viewport.drawing(WidgetShow) }),
  timeline: { owners: clipsOf, strip: clipsOf, curves: { has: isMetaphorForce, unit: driveUnit, result: resultOf } },
  directors: { metaphor: { icon: 'bend', iconOf: (director) => ACT_ICONS[actOf(director)], Sections: MetaphorSections } },
  directorText(scene, body, director) {
    const one = metaphorsOf(scene, body).find(({ name }) => name === director);
    return one ? textOf(one) : null;
  },
};

registry.register(metaphors);
