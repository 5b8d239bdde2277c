/** A workspace that registers itself is found everywhere, and no other line names it. */
import type { Component } from 'svelte';
import { render } from 'svelte/server';
import { Scene } from 'three';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import App from './App.svelte';
import { makeActions } from './actions/actions';
import { Session } from './client/session.svelte';
import type { DocumentInfo, SceneInfo } from './document/generated/protocol';
import { Schema } from './document/schema';
import { makeLeftTools } from './panels/leftTools';
import { type Drawing, type DrawingPlace, Drawings } from './stage/drawing';
import type { FieldPaint } from './stage/fieldPaint';
import type { Viewport } from './stage/viewport';
import { dopeRows } from './timeline/rows';
import { keyFrames, keyKinds, moveKeys } from './timeline/timeKeys';
import { Gizmo } from './tools/gizmo/gizmo.svelte';
import type { LeftTool } from './workspace/left';
import { Registry, registry } from './workspace/registry';
import type { Scope } from './workspace/scope';
import { Studio } from './workspace/studio.svelte';
import type { Workspace } from './workspace/workspace';
import './workspaces';

/** A component that is these words, as it is drawn on the server. */
const says = <P extends Record<string, unknown>>(words: string): Component<P> => ((renderer: { push(html: string): void }) => renderer.push(`<b>${words}</b>`)) as unknown as Component<P>;

class AtticState {
  boxes = 3;
  forget(): void {
    this.boxes = 0;
  }
}

class AtticShow implements Drawing {
  pictures = 0;
  constructor(readonly place: DrawingPlace) {}
  beforePicture(): void {
    this.pictures += 1;
  }
}

const broom: LeftTool = { doing: 'sweep', press() {}, move() {}, release() {}, cancel() {} };
const ran = vi.fn();

/** A room with one of everything. */
const attic: Workspace = {
  id: 'attic',
  name: 'Attic',
  icon: 'scene',
  firstTool: 'sweep',
  firstTab: 'boxes',
  State: AtticState,
  actions: ({ studio }) => [
    { id: 'tool-sweep', name: 'Sweep the floor', group: 'Tools', icon: 'brush', keys: ['1'], why: () => (studio.workspace === 'attic' ? null : 'A tool of the Attic'), pressed: () => studio.tool === 'sweep', run: ran },
    { id: 'dust', name: 'Raise dust', group: 'View', icon: 'ghost', keys: ['P'], run: ran },
  ],
  rail: { name: 'Attic tools', groups: [['tool-sweep', 'tool-pull'], ['dust']] },
  leftTools: () => ({ sweep: broom }),
  toolKeys: { sweep: [['LMB', 'Sweep here']] },
  Left: says('what lies in the attic'),
  leftLeads: true,
  Inspector: says('a box of the attic'),
  ViewBar: says('the skylight'),
  drawings: [AtticShow],
  timeline: {
    rows: () => [{ id: 'attic', icon: 'scene', name: 'Boxes', value: '', level: 0, path: null, track: { kind: 'summary', frames: [7] } }],
    docks: [{ id: 'boxes', name: 'Boxes', about: 'What is in them', icon: 'scene', keys: ['Alt+X'], Panel: says('a strip of boxes') }],
    keys: {
      noun: 'box', owns: (path) => path.endsWith('.boxes'), frames: () => [7], isTaken: () => false, select() {},
      move: (_, path, from, to) => ({ do: 'move_key', path, from, to }), remove: () => [],
    },
  },
  directors: { hoard: { icon: 'set', Sections: says('a hoard') } },
  directorText: (_, body, director) => (director === 'hoard' ? `${body} hoards` : null),
};

function pageWith(workspaces: readonly Workspace[]): { session: Session; studio: Studio; scope: Scope } {
  vi.stubGlobal('document', { documentElement: { dataset: {} } });
  vi.stubGlobal('location', { host: 'here' });
  vi.stubGlobal('window', { innerHeight: 900 });
  vi.stubGlobal('getComputedStyle', () => ({ getPropertyValue: () => '' }));
  const session = new Session(() => {
    throw new Error('no server');
  });
  session.scene = { name: 'hop', bodies: [], obstacles: [], fps: [24, 1], first_frame: 1, last_frame: 60, substeps: 1 } as unknown as SceneInfo;
  session.document = { name: 'hop', scene: { body: [{ name: 'ball', director: [{ name: 'gold', kind: 'hoard' }] }] }, undo: [], redo: [], notices: [] } as unknown as DocumentInfo;
  const studio = new Studio(session, workspaces, [Gizmo]);
  return { session, studio, scope: { session, studio, schema: new Schema({}), scene: session.document.scene } };
}

const drawn = ({ session, studio }: { session: Session; studio: Studio }): string => render(App, { props: { session, studio } }).body;

describe('a workspace that is registered', () => {
  let page: ReturnType<typeof pageWith>;
  beforeEach(() => {
    ran.mockClear();
    const all = new Registry();
    for (const each of registry.all) all.register(each);
    all.register(attic);
    page = pageWith(all.all);
  });

  it('has its button beside the others, and a number', () => {
    const number = registry.all.length + 1;
    expect(drawn(page)).toMatch(new RegExp(`role="tab"[^>]*data-action="attic"[^>]*title="Attic workspace \\(Alt ${number}\\)"`));
    makeActions(page.scope).forKey(`Alt+${number}`)!.run();
    expect(page.studio.workspace).toBe('attic');
    expect([page.studio.tool, page.studio.dockTab]).toEqual(['sweep', 'boxes']);
  });

  it('shows its rail, panels, strip and keys, and only while one is there', () => {
    const own = ['aria-label="Attic tools"', 'data-action="tool-sweep"', 'what lies in the attic', 'a box of the attic', 'a strip of boxes', 'Sweep here'];
    const before = drawn(page);
    expect(own.filter((each) => before.includes(each))).toEqual([]);
    page.studio.enter('attic');
    const now = drawn(page);
    expect(own.filter((each) => !now.includes(each))).toEqual([]);
  });

  it('shows its directors in the inspector of every workspace', () => {
    page.studio.select('body.ball.director.gold');
    expect(drawn(page)).toContain('a hoard');
    expect(page.session.directorText(page.scope.scene, 'body.ball', 'hoard')).toBe('body.ball hoards');
  });

  it('has its actions under keys that others have too, while it is shown', () => {
    const actions = makeActions(page.scope);
    expect(actions.find('tool-sweep')?.name).toBe('Sweep the floor');
    page.studio.enter('keys');
    expect([actions.forKey('1')?.id, actions.forKey('P')?.id]).toEqual(['tool-key-pull', 'onion']);
    page.studio.enter('attic');
    expect([actions.forKey('1')?.id, actions.forKey('P')?.id]).toEqual(['tool-sweep', 'dust']);
    actions.forKey('1')!.run();
    expect(ran).toHaveBeenCalledOnce();
  });

  it('has the left button do what its tool does', () => {
    const viewport = { drawing: () => ({}), mark: {}, orbit: {} } as unknown as Viewport;
    const tool = makeLeftTools(page.session, page.studio, viewport);
    expect(tool()).not.toBe(broom);
    page.studio.enter('attic');
    expect(tool()).toBe(broom);
  });

  it('remembers what it wants, until another scene comes', () => {
    expect(page.studio.own(AtticState).boxes).toBe(3);
    page.studio.forget();
    expect(page.studio.own(AtticState).boxes).toBe(0);
  });

  it('draws on the stage', () => {
    const place: DrawingPlace = { scene: new Scene(), paint: {} as FieldPaint, bodies: () => [], draw() {}, redraw() {} };
    const drawings = new Drawings(attic.drawings!, place);
    for (const each of drawings.all) each.beforePicture?.();
    expect(drawings.of(AtticShow).pictures).toBe(1);
    expect(drawings.of(AtticShow).place).toBe(place);
    expect(() => new Drawings([], place).of(AtticShow)).toThrow('AtticShow');
  });

  it('has rows and keys of its own on the timeline', () => {
    expect(dopeRows(page.session, page.studio).map(({ id }) => id)).toContain('attic');
    const kinds = keyKinds(page.studio);
    expect(keyFrames(page.scope.scene, kinds)).toContain(7);
    expect(moveKeys(page.scope.scene, ['a.boxes@7'], 2, kinds)).toEqual({ do: 'batch', label: 'move box 7 of a.boxes', commands: [{ do: 'move_key', path: 'a.boxes', from: 7, to: 9 }] });
  });

  it('leaves nothing behind when it goes', () => {
    expect(drawn(pageWith(registry.all))).not.toContain('attic');
  });
});

describe('the workspaces of the page', () => {
  it('may be as empty as a room', () => {
    const empty: Workspace = { id: 'layers', name: 'Layers', icon: 'skin', firstTool: 'pull', firstTab: 'dope' };
    const page = pageWith([...registry.all, empty]);
    page.studio.enter('layers');
    expect(drawn(page)).toMatch(/aria-selected="true"[^>]*data-action="layers"/);
    expect(drawn(page)).toContain('aria-label="Inspector"');
  });

  it('have ids of their own', () => {
    const all = new Registry();
    all.register(attic);
    expect(() => all.register({ ...attic, name: 'Another' })).toThrow('attic');
  });

  it('name only actions that there are in their rails, and each action once', () => {
    const { all, find } = makeActions(pageWith(registry.all).scope);
    const named = registry.all.flatMap(({ rail }) => rail?.groups.flat() ?? []);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((id) => !find(id))).toEqual([]);
    expect(all.map(({ id }) => id).filter((id, i, ids) => ids.indexOf(id) !== i)).toEqual([]);
  });

  it('begin with tools and tabs that there are', () => {
    const { session, studio } = pageWith(registry.all);
    const viewport = { drawing: () => ({}), mark: {}, orbit: {} } as unknown as Viewport;
    const tool = makeLeftTools(session, studio, viewport);
    const pull = tool();
    const tabs = ['dope', 'curves', ...registry.all.flatMap(({ timeline }) => timeline?.docks ?? []).map(({ id }) => id)];
    for (const { id, firstTool, firstTab } of registry.all) {
      studio.enter(id);
      expect(tabs).toContain(firstTab);
      expect(tool() === pull, id).toBe(firstTool === 'pull');
    }
  });
});
