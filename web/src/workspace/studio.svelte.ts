/**
 * What this page shows and how, as far as it is no part of the scene: workspace, selection, panels, tool, theme.
 * Nothing here is saved with the scene; panel sizes and theme are kept as preferences.
 */
import type { Session } from '../client/session.svelte';
import type { Table } from '../document/scene';
import type { Viewport } from '../stage/viewport';
import { BrushState } from './brush.svelte';
import { Looks } from './looks.svelte';
import { Panels } from './panels.svelte';
import { preferences } from './preferences';
import type { Forgetful, Workspace } from './workspace';

/** What floats over the page; one at a time, `Esc` closes it. */
export type Overlay = 'palette' | 'gallery' | 'help' | 'export' | 'save-as' | 'warnings';
export type Theme = 'dark' | 'light';

const THEME_KEY = 'theme';

const isForgetful = (state: object): state is Forgetful => 'forget' in state;

type StateKind<T> = new (session: Session, studio: Studio) => T;

export class Studio {
  /** The one that is shown. */
  current = $state.raw<Workspace>() as Workspace;
  /** A path of the scene: `body.jelly`, `body.jelly.director.swim`, `obstacle.ground`, `camera`; none is the scene itself. */
  selection = $state<string | null>(null);
  /** What the left button does in the viewport. Workspaces have words of their own for their tools. */
  tool = $state('pull');
  /** Whether moving, turning and scaling snap; Ctrl does the other. */
  snaps = $state(false);
  /** `dope`, `curves`, or a tab of a workspace. */
  dockTab = $state('dope');
  overlay = $state<Overlay | null>(null);
  /** How many viewports share the stage's place. */
  views = $state<1 | 2 | 4>(1);
  /** The chosen keys, as `path@frame`: the one selection of them for lists, inspector, view and timeline. */
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
  readonly looks = new Looks();
  readonly brush = new BrushState();
  private readonly states = new Map<StateKind<object>, object>();

  /** `shared` is remembered too, for tools of every workspace. */
  constructor(
    private readonly session: Session,
    readonly workspaces: readonly Workspace[],
    shared: readonly StateKind<object>[] = [],
  ) {
    const [first] = workspaces;
    if (!first) throw new Error('The page has no workspace: workspaces.ts loads none');
    this.current = first;
    this.tool = first.firstTool;
    this.dockTab = first.firstTab;
    for (const Kind of [...shared, ...workspaces.flatMap(({ State }) => State ?? [])]) this.states.set(Kind, new Kind(session, this));
    session.directorText = (scene, body, director) => workspaces.map((each) => each.directorText?.(scene, body, director) ?? null).find((text) => text !== null) ?? null;
  }

  /** The id of the workspace that is shown. */
  get workspace(): string {
    return this.current.id;
  }

  /** What a workspace remembers. */
  own<T extends object>(Kind: StateKind<T>): T {
    const state = this.states.get(Kind);
    if (!state) throw new Error(`No workspace registered ${Kind.name} as its state`);
    return state as T;
  }

  /** Another scene is on stage: what was chosen in the last one is something else now. */
  forget(): void {
    this.chosenKeys = new Set();
    this.curvePath = null;
    for (const state of this.states.values()) if (isForgetful(state)) state.forget();
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

  /** Enters a workspace by its id. */
  enter(id: string): void {
    const next = this.workspaces.find((each) => each.id === id);
    if (!next || next === this.current) return;
    this.current = next;
    this.dockTab = next.firstTab;
    this.tool = next.firstTool;
  }

  openDock(tab: string): void {
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
