/** What the page can do whatever the workspace, by name. */
import { playFrom, playTo } from '../client/range';
import type { Session } from '../client/session.svelte';
import { toggleRecording } from '../client/takes';
import { removePart } from '../parts/adding';
import { chooseMesh } from '../parts/bringMesh';
import { deleteKeys, goToKey } from '../timeline/timeKeys';
import { Gizmo } from '../tools/gizmo/gizmo.svelte';
import type { Action, Group } from '../ui/action';
import type { IconName } from '../ui/icons';
import type { Scope } from '../workspace/scope';
import type { Studio } from '../workspace/studio.svelte';

type Rest = Pick<Action, 'keys' | 'group' | 'icon' | 'run' | 'why'>;
const action = (id: string, name: string, group: Group, icon: IconName, keys: string[], run: () => void, why?: Action['why']): Action => ({
  id, name, ...({ group, icon, keys, run, ...(why ? { why } : {}) } satisfies Rest),
});

export function timeActions(session: Session, studio: Studio) {
  const send = session.send.bind(session);
  const nothing = (): string | null => (session.transport ? null : 'Nothing runs yet');
  return {
    play: action('play', 'Play or pause', 'Time', 'play', ['Space'], () => send({ do: session.transport?.playing ? 'pause' : 'play' }), nothing),
    stepBack: action('step-back', 'Previous frame', 'Time', 'stepBack', ['ArrowLeft'], () => send({ do: 'step_back' }), nothing),
    stepForward: action('step-forward', 'Next frame', 'Time', 'stepForward', ['ArrowRight'], () => send({ do: 'step_forward' }), nothing),
    first: action('first', 'First frame', 'Time', 'first', ['Shift+ArrowLeft'], () => {
      if (session.scene) send({ do: 'seek', frame: session.scene.first_frame });
    }, nothing),
    last: action('last', 'Last simulated frame', 'Time', 'last', ['Shift+ArrowRight'], () => {
      if (session.transport) send({ do: 'seek', frame: session.transport.recorded_to });
    }, nothing),
    previousKey: action('previous-key', 'Previous key', 'Time', 'key_previous', [','], () => goToKey(session, studio, -1)),
    nextKey: action('next-key', 'Next key', 'Time', 'key_next', ['.'], () => goToKey(session, studio, 1)),
    loop: action('loop', 'Loop', 'Time', 'loop', ['L'], () => send({ do: 'loop', on: !session.transport?.looping }), nothing),
    restart: action('restart', 'Simulate from the start', 'Time', 'restart', ['Shift+R'], () => send({ do: 'restart' }), nothing),
    record: action('record', 'Record a take', 'Time', 'record', ['Alt+R'], () => toggleRecording(session), nothing),
    setIn: action('set-in', 'Play from here', 'Time', 'first', ['['], () => playFrom(session, session.frame)),
    setOut: action('set-out', 'Play up to here', 'Time', 'last', [']'], () => playTo(session, session.frame)),
    wholeRange: action('whole-range', 'Play the whole scene', 'Time', 'film', ['\\'], () => {
      if (session.scene) send({ do: 'range', first: session.scene.first_frame, last: session.scene.last_frame });
    }),
    deleteKeys: action('delete-keys', 'Delete the chosen keys', 'Time', 'key', ['Delete'], () => deleteKeys(session, studio), () => (studio.chosenKeys.size > 0 ? null : 'No key is chosen')),
    dope: action('dope', 'Dope sheet', 'Time', 'key', ['Alt+D'], () => studio.openDock('dope')),
    curves: action('curves', 'Curves', 'Time', 'curve', ['Alt+C'], () => studio.openDock('curves')),
  };
}

export function viewActions(studio: Studio) {
  return {
    frame: action('frame', 'Frame selected', 'View', 'frame', ['F'], () => {
      const obstacle = /^obstacle(\.[^.[]+|\[\d+\])/.exec(studio.selection ?? '')?.[0];
      if (!obstacle || !studio.viewport?.frameObstacle(obstacle)) studio.viewport?.frameBody(studio.body);
    }),
    frameAll: action('frame-all', 'Frame all', 'View', 'frame', ['Home'], () => studio.viewport?.frameAll()),
  };
}

export function toolActions(studio: Studio) {
  const tool = (word: string, name: string, icon: IconName, key: string): Action => ({
    ...action(`tool-${word}`, name, 'Tools', icon, [key], () => void (studio.tool = studio.tool === word ? 'pull' : word)), pressed: () => studio.tool === word,
  });
  const gizmo = studio.own(Gizmo);
  return {
    move: action('move', 'Move the selected', 'Tools', 'move', ['G'], () => gizmo.begin('move'), () => gizmo.whyNot('move')),
    turn: action('turn', 'Turn the selected', 'Tools', 'turn', ['R'], () => gizmo.begin('turn'), () => gizmo.whyNot('turn')),
    scale: action('scale', 'Scale the selected', 'Tools', 'scale', ['S'], () => gizmo.begin('scale'), () => gizmo.whyNot('scale')),
    moveHandles: tool('move', 'Handles to move', 'move', 'Shift+G'),
    turnHandles: tool('turn', 'Handles to turn', 'turn', 'Shift+T'),
    scaleHandles: tool('scale', 'Handles to scale', 'scale', 'Shift+S'),
    snap: action('snap', 'Snap to the grid', 'Tools', 'magnet', ['Shift+M'], () => (studio.snaps = !studio.snaps)),
    pull: tool('pull', 'Pull', 'hand', 'Q'),
  };
}

export function editActions(scope: Scope) {
  const { session, studio } = scope;
  const removable = (): boolean => /^(obstacle|body)[.[]|^medium$/.test(studio.selection ?? '') && !/\.(skin|flesh|solver|material)$/.test(studio.selection ?? '');
  return {
    // Always sent: strokes that follow each other quickly are ahead of what the page knows of the history, and the server says when there is nothing.
    undo: action('undo', 'Undo', 'Edit', 'undo', ['Ctrl+Z'], () => session.undo()),
    redo: action('redo', 'Redo', 'Edit', 'redo', ['Ctrl+Shift+Z', 'Ctrl+Y'], () => session.redo()),
    rename: action('rename', 'Rename the selected', 'Edit', 'pencil', ['F2'], () => (studio.renaming = studio.selection), () => (studio.selection ? null : 'Nothing is selected')),
    remove: action('remove', 'Delete the selected', 'Edit', 'trash', ['X'], () => studio.selection && removePart(scope, studio.selection), () => (removable() ? null : 'Select a body, director, set or obstacle')),
    deselect: action('deselect', 'Select the scene', 'Edit', 'scene', ['Shift+A'], () => studio.select(null)),
  };
}

export function sceneActions(session: Session, studio: Studio) {
  return {
    gallery: action('gallery', 'Open a scene…', 'Scene', 'folder', ['Ctrl+O'], () => studio.toggle('gallery')),
    bring: action('bring', 'New from a mesh…', 'Scene', 'import', ['Ctrl+I'], () => chooseMesh('scene')),
    bringBody: action('bring-body', 'Add a mesh as a body…', 'Scene', 'body', [], () => chooseMesh('body')),
    bringObstacle: action('bring-obstacle', 'Add a mesh as an obstacle…', 'Scene', 'obstacle', [], () => chooseMesh('obstacle')),
    save: action('save', 'Save', 'Scene', 'save', ['Ctrl+S'], () => (session.document?.file ? session.save() : (studio.overlay = 'save-as'))),
    saveAs: action('save-as', 'Save as…', 'Scene', 'save', ['Ctrl+Shift+S'], () => (studio.overlay = 'save-as')),
    export: action('export', 'Export…', 'Scene', 'export', ['Ctrl+E'], () => studio.toggle('export')),
  };
}

export function pageActions(studio: Studio) {
  return {
    palette: action('palette', 'Commands', 'Page', 'search', ['Ctrl+K'], () => studio.toggle('palette')),
    warnings: action('warnings', 'Warnings', 'Page', 'warning', ['Alt+W'], () => studio.toggle('warnings')),
    left: action('left', 'Left panel', 'Page', 'scene', ['Ctrl+B'], () => studio.panels.toggle('left')),
    right: action('right', 'Inspector', 'Page', 'material', ['Ctrl+Shift+B'], () => studio.panels.toggle('right')),
    dock: action('dock', 'Dock', 'Page', 'film', ['`'], () => studio.panels.toggle('dock')),
    theme: action('theme', 'Light or dark', 'Page', 'sun', ['Alt+T'], () => studio.toggleTheme()),
    help: action('help', 'Shortcuts', 'Page', 'help', ['?', 'Shift+?'], () => studio.toggle('help')),
    tour: action('tour', 'Guided tour', 'Page', 'help', [], () => (studio.tour = 0)),
    regions: action('regions', 'Next region of the page', 'Page', 'keyboard', ['F6'], () => nextRegion()),
  };
}

/** In the order of the page. */
const REGIONS = ['header', '.left', '.stage', '.right', '.dock', 'footer'];

function nextRegion(): void {
  const regions = REGIONS.flatMap((selector) => document.querySelector<HTMLElement>(`#studio ${selector}`) ?? []);
  const now = regions.findIndex((region) => region.contains(document.activeElement));
  for (let step = 1; step <= regions.length; step++) {
    const region = regions[(now + step) % regions.length]!;
    const first = region.querySelector<HTMLElement>('button:not(:disabled):not([tabindex="-1"]), input, select, [tabindex="0"]');
    if (!first) continue;
    first.focus();
    return;
  }
}
