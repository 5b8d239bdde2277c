/**
 * What this page shows and how, as far as it is no part of the scene: workspace, selection, panels, tool, theme.
 * Nothing here is saved with the scene; panel sizes and theme are kept as preferences.
 */
import type { Session } from '../client/session.svelte';
import { FieldsState } from '../fields/state.svelte';
import { KeysState } from '../keys/state.svelte';
import { MetaphorState } from '../metaphors/state.svelte';
import type { Viewport } from '../stage/viewport';
import { Gizmo } from '../tools/gizmo/gizmo.svelte';
import { PinState } from '../staging/pin/state.svelte';
import { Panels } from './panels.svelte';
import { preferences } from './preferences';
import type { Table } from '../document/scene';

export type Workspace = 'stage' | 'fields' | 'metaphors' | 'keys';
/** What the left button does in the viewport. Tools of the Fields workspace have names of their own there. */
export type Tool = 'select' | 'pull' | 'move' | 'turn' | 'scale' | 'touch' | 'pin-box' | 'pin-lasso' | 'pin-brush' | (string & {});
export type DockTab = 'dope' | 'curves' | 'charts';
/** What floats over the page; one at a time, `Esc` closes it. */
export type Overlay = 'palette' | 'gallery' | 'help' | 'export' | 'save-as' | 'warnings';
export type Theme = 'dark' | 'light';

const THEME_KEY = 'theme';
const FIRST_TAB: Record<Workspace, DockTab> = { stage: 'dope', fields: 'charts', metaphors: 'curves', keys: 'dope' };
const FIRST_TOOL: Record<Workspace, Tool> = { stage: 'pull', fields: 'pull', metaphors: 'pick', keys: 'key-pick' };

export class Studio {
  workspace = $state<Workspace>('stage');
  /** A path of the scene: `body.jelly`, `body.jelly.director.swim`, `obstacle.ground`, `camera`; none is the scene itself. */
  selection = $state<string | null>(null);
  tool = $state<Tool>('pull');
  /** Whether moving, turning and scaling snap; Ctrl does the other. */
  snaps = $state(false);
  dockTab = $state<DockTab>('dope');
  overlay = $state<Overlay | null>(null);
  /** How many viewports share the stage's place. */
  views = $state<1 | 2 | 4>(1);
  /** The chosen keys of the timeline and the curve editor, as `path@frame`. */
  chosenKeys = $state<ReadonlySet<string>>(new Set());
  /** Which card of the tour is shown; none when it is over or was skipped. */
  tour = $state<number | null>(null);
  /** The value whose curve the dock shows; none is the selection's first keyed one. */
  curvePath = $state<string | null>(null);
  /** The thing whose name is being typed in the outliner. */
  renaming = $state<string | null>(null);
  /** A part whose new name is on its way to the server. */
  renamed = $state.raw<{ from: string; to: string } | null>(null);
  /** Settings of solvers that bodies had before, by body and kind. */
  readonly solvers = new Map<string, Table>();
  /** The viewport that was drawn last, for tools that need places on screen. */
  viewport = $state.raw<Viewport | null>(null);
  theme = $state<Theme>(document.documentElement.dataset.theme === 'light' ? 'light' : 'dark');
  readonly panels = new Panels();
  readonly pin = new PinState();
  readonly fields = new FieldsState();
  readonly metaphors = new MetaphorState();
  readonly keys = new KeysState();
  readonly gizmo: Gizmo;

  constructor(private readonly session: Session) {
    this.gizmo = new Gizmo(session, this);
  }

  /** The body the selection is, or is a part of; the first one where it is none. */
  get body(): number {
    return this.session.selected;
  }

  /** The path of that body. */
  get bodyPath(): string | null {
    return this.session.scene?.bodies[this.session.selected]?.path ?? null;
  }

  select(path: string | null): void {
    this.selection = path;
    const index = this.bodyIndexOf(path);
    if (index >= 0) this.session.selected = index;
  }

  /** A body of the running show, as a pick names it. */
  selectBody(index: number): void {
    const body = this.session.scene?.bodies[index];
    if (!body) return;
    this.session.selected = index;
    const { path } = body;
    // A click on the body of a selected director leaves the director selected.
    if (this.selection !== path && !this.selection?.startsWith(`${path}.`)) this.selection = path;
  }

  enter(workspace: Workspace): void {
    if (workspace === this.workspace) return;
    this.workspace = workspace;
    this.dockTab = FIRST_TAB[workspace];
    this.tool = FIRST_TOOL[workspace];
  }

  openDock(tab: DockTab): void {
    this.dockTab = tab;
    if (!this.panels.shown('dock')) this.panels.toggle('dock');
  }

  /** Opens what floats, or closes it if it is open. */
  toggle(overlay: Overlay): void {
    this.overlay = this.overlay === overlay ? null : overlay;
  }

  toggleTheme(): void {
    this.theme = this.theme === 'light' ? 'dark' : 'light';
    document.documentElement.dataset.theme = this.theme;
    preferences.set(THEME_KEY, this.theme);
  }

  private bodyIndexOf(path: string | null): number {
    const bodies = this.session.scene?.bodies ?? [];
    // Of copies that share a path the chosen one stays.
    const isIts = (body: { path: string } | undefined): boolean => body !== undefined && (path === body.path || (path?.startsWith(`${body.path}.`) ?? false));
    return isIts(bodies[this.session.selected]) ? this.session.selected : bodies.findIndex(isIts);
  }
}

/** Before anything is drawn, so that a light page does not flash dark. */
export function restoreTheme(): void {
  const kept = preferences.get(THEME_KEY);
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept;
}
