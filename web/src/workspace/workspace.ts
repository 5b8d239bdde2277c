/**
 * What a workspace is: the contract of `web/src/workspaces.ts`. A folder that holds one registers it, and the page finds in it what
 * the workspace remembers, draws and offers. No other folder names it. All but the first lines may be left out.
 */
import type { Component } from 'svelte';
import type { Session } from '../client/session.svelte';
import type { Json } from '../document/generated/protocol';
import type { Table } from '../document/scene';
import type { DrawingKind } from '../stage/drawing';
import type { Viewport } from '../stage/viewport';
import type { Action } from '../ui/action';
import type { IconName } from '../ui/icons';
import type { MenuItem } from '../ui/menu.svelte';
import type { KeyKind } from './keyKind';
import type { LeftTool } from './left';
import type { CurveResult } from './overCurve';
import type { Scope } from './scope';
import type { Studio } from './studio.svelte';
import type { DopeRow } from './tracks';

/** A key or a button of the mouse, and what it does. */
export type KeyHint = readonly [key: string, does: string];

/** Something that is remembered while the page is open, and is no part of the scene; it is told when another scene is on stage. */
export interface Forgetful {
  forget(): void;
}

export interface AtHand {
  session: Session;
  studio: Studio;
  viewport: Viewport;
}

/** Over the view. */
export interface LayerProps {
  scope: Scope;
  viewport: Viewport;
}

/** Tools down the left edge of the view, in groups, by the ids of their actions. */
export interface Rail {
  name: string;
  groups: readonly (readonly string[])[];
}

/** A tab of the dock. */
export interface DockTab {
  id: string;
  name: string;
  about: string;
  icon: IconName;
  keys: string[];
  Panel: Component<{ session: Session; studio: Studio }>;
}

/** How a director of some kind is shown, whatever the workspace. */
export interface DirectorKind {
  icon: IconName;
  /** Where it depends on what the director says. */
  iconOf?(director: Table): IconName;
  /** Whether it comes of something else than a menu. */
  isMadeElsewhere?: boolean;
  /** In the inspector. */
  Sections?: Component<{ scope: Scope; at: string; director: Table }>;
}

/** What it has in the dock. */
export interface Timeline {
  /** Rows of the dope sheet, before those of channels. */
  rows?(session: Session, studio: Studio): DopeRow[];
  /** Rows that stand over the channels of what they select. */
  owners?(session: Session, studio: Studio): DopeRow[];
  /** Rows over the curve while one is in the workspace. */
  strip?(session: Session, studio: Studio): DopeRow[];
  keys?: KeyKind;
  docks?: readonly DockTab[];
  /** What came of some curves. */
  curves?: {
    /** Whether a curve has what came of it drawn over it, and the ruler's frames below. */
    has(scene: Json | undefined, path: string): boolean;
    /** Its unit; empty where it is none of these. */
    unit(scene: Json | undefined, path: string): string;
    /** `zero` is the height of nothing on the plot. */
    result(session: Session, body: number, path: string, zero: number): CurveResult | null;
  };
}

export interface Workspace {
  /** `keys`. */
  id: string;
  name: string;
  icon: IconName;
  /** The tool and the tab of the dock that one finds on entering it. */
  firstTool: string;
  firstTab: string;

  /** Made with the page; `Studio.own` finds it. */
  State?: new (session: Session, studio: Studio) => object;

  /** Its tools: actions choose them, the rail shows those, and a left tool does the work. */
  actions?(scope: Scope): readonly Action[];
  rail?: Rail;
  leftTools?(hand: AtHand): Record<string, LeftTool>;
  /** Keys of each of its tools, for the status bar. */
  toolKeys?: Record<string, readonly KeyHint[]>;
  /** Keys of the whole workspace, for the shortcuts help. */
  help?: readonly KeyHint[];
  /** Tools whose size F sets, and what Shift+F does. */
  brush?: { tools: readonly string[]; value?(studio: Studio): BrushValue };

  /** Panels: one on the left, before or behind the outliner (which is folded behind it), and one in the inspector's place. */
  Left?: Component<{ scope: Scope }>;
  leftLeads?: boolean;
  hidesTakes?: boolean;
  Inspector?: Component<{ scope: Scope }>;

  /** Over the view while one is in the workspace. */
  layers?: readonly Component<LayerProps>[];
  /** In the bar above the view. */
  ViewBar?: Component<{ scope: Scope }>;
  overlayItems?(studio: Studio): MenuItem[];
  /** Of several directors of a body, whose field the view shows; fields of directions are seen in workspaces that say so. */
  lookOf?(scene: Json | undefined, body: string, selection: string | null): string | null;

  /** Things on the stage; `Viewport.drawing` finds them. */
  drawings?: readonly DrawingKind[];
  /** Called once there is a viewport, until the returned function is: messages that are listened to. */
  begin?(hand: AtHand): () => void;
  /** Called while a component is set up: effects that live as long as the page does. */
  watch?(session: Session, studio: Studio, viewport: () => Viewport | null): void;

  /** What scripts and tests against the page find of it, in `window.sinew.own`. */
  forScripts?(hand: AtHand): object;

  timeline?: Timeline;
  /** Kinds of directors that are its own. */
  directors?: Record<string, DirectorKind>;
  /** What a director says that its measures depend on; none where it is not known here. */
  directorText?(scene: Json | undefined, body: string, director: string): string | null;
}

/** A number that the hand sets while a brush is over the stage. */
export interface BrushValue {
  now: number;
  low: number;
  high: number;
  /** Whether it is stepped by factors. */
  isFactor: boolean;
  set(to: number): void;
}
