/** A studio server on a folder of its own, and a browser on its page. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { valueAt } from '../src/document/sceneValue';
import type { Session } from '../src/client/session.svelte';
import type { Json } from '../src/document/generated/protocol';
import type { KeysState } from '../src/keys/state.svelte';
import type { NextGhosts } from '../src/metaphors/nextGhosts';
import type { WidgetShow } from '../src/metaphors/widgetShow';
import type { Studio as StudioState } from '../src/workspace/studio.svelte';
import type { Viewport } from '../src/stage/viewport';
import type { Actions } from '../src/actions/actions';
import { emptyPage } from './page';

/** What the page offers to scripts. */
declare global {
  interface Window {
    sinew: {
      session: Session; studio: StudioState; viewport: Viewport; actions: Actions;
      own: { keys: KeysState; metaphors: { ghosts: NextGhosts; widgets: WidgetShow } };
    };
    /** Milliseconds from the page's `load` to the first picture of a body that has moved. */
    firstMotionMs?: number;
  }
}

/** Pixels of the page. */
export interface Spot {
  x: number;
  y: number;
}

export interface Opening {
  /** A built-in scene or a file of `folder`; left out, what the program opens by itself. */
  scene?: string;
  width?: number;
  height?: number;
  /** Where the studio runs; left out, an empty folder that goes with it. */
  folder?: string;
  /** A scene of the test's own, which is written into the folder and opened. */
  text?: string;
  /** Whether the guided tour shows, as on a first visit. */
  tour?: boolean;
}

/** The largest difference of two lists of coordinates; none where one is missing. */
export function farthest(a: number[], b: number[]): number {
  return a.length === b.length ? a.reduce((most, c, i) => Math.max(most, Math.abs(c - b[i]!)), 0) : 0;
}

export class Studio {
  /** What the browser complained about. */
  readonly complaints: string[] = [];

  private constructor(
    readonly url: string,
    readonly page: Page,
    readonly folder: string,
    private readonly browser: Browser,
    private readonly server: ChildProcess,
    private readonly ownsFolder: boolean,
  ) {}

  /** Starts the program in `SINEW_BIN` (which prints its address first) and opens that address. */
  static async open({ scene, text, width = 1440, height = 900, folder, tour = false }: Opening = {}): Promise<Studio> {
    const home = folder ?? mkdtempSync(join(tmpdir(), 'sinew-e2e-'));
    if (text !== undefined) writeFileSync(join(home, 'own.toml'), text);
    if (!tour) prefer(home, { tour: 'seen' });
    const server = startServer(home, text === undefined ? scene : 'own.toml');
    const url = await firstLine(server);
    const [browser, page] = await emptyPage(width, height);
    page.setDefaultTimeout(90_000);
    const studio = new Studio(url, page, home, browser, server, folder === undefined);
    page.on('pageerror', (error) => studio.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') studio.complaints.push(message.text());
    });
    await page.addInitScript(noteFirstMotion);
    await servePage(page);
    await page.goto(url);
    await studio.ready();
    return studio;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.ended();
    if (this.ownsFolder) rmSync(this.folder, { recursive: true, force: true });
  }

  /** Asks the program to end, as a system that shuts down does; how long that takes. */
  async endsWithinMs(): Promise<number> {
    const began = Date.now();
    await this.ended();
    return Date.now() - began;
  }

  stopServer(): void {
    this.server.kill();
  }

  /** Stops the program and waits until it has written what it still had to. */
  private async ended(): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    const ended = new Promise((resolve) => this.server.once('exit', resolve));
    this.stopServer();
    await ended;
  }

  /** Waits until a body is on screen and the document is known. */
  async ready(): Promise<void> {
    await this.page.waitForFunction(() => window.sinew?.viewport?.body(0)?.vertexAt(0) && window.sinew.session.document !== null);
  }

  /** The frame number on screen. */
  async frame(): Promise<number> {
    return Number(await this.page.getByTestId('frame').textContent());
  }

  /** The middle of the viewport as a picture, without anything that floats over it. */
  async picture(): Promise<Buffer> {
    const box = await this.page.locator('main').boundingBox();
    if (!box) throw new Error('there is no viewport');
    const clip = { x: box.x + box.width * 0.2, y: box.y + 60, width: box.width * 0.6, height: box.height - 120 };
    return this.page.screenshot({ clip, animations: 'disabled' });
  }

  async pause(): Promise<void> {
    await this.runTime(false);
    await this.settle();
  }

  async play(): Promise<void> {
    await this.runTime(true);
  }

  /** Presses Space until time runs or stands: a stage that has just been made does as it did before. */
  private async runTime(playing: boolean): Promise<void> {
    await this.built();
    for (let tries = 0; tries < 10; tries++) {
      if ((await this.page.evaluate(() => window.sinew.session.transport?.playing)) !== playing) await this.page.keyboard.press('Space');
      const does = this.page.waitForFunction((wanted) => window.sinew.session.transport?.playing === wanted, playing, { timeout: 3000 });
      if (await does.then(() => true, () => false)) return;
    }
  }

  /** Waits until all that was asked before is done, a stage made for it, and the picture of it received. */
  async sync(): Promise<void> {
    await this.page.evaluate(() => window.sinew.session.sync());
  }

  /** Waits until what is on screen is what the server shows. */
  async settle(): Promise<void> {
    await this.sync();
    await this.page.waitForFunction(() => window.sinew.session.transport?.frame === window.sinew.session.frame);
    await this.page.waitForFunction(() => window.sinew.session.transport?.playing || window.sinew.viewport.isFull);
    await this.drawn();
  }

  /** Waits until what has been asked for so far is drawn. */
  async drawn(): Promise<void> {
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }

  /** Stops at the first frame that is kept. */
  async toFirst(): Promise<void> {
    await this.leaveControls();
    await this.pause();
    await this.page.keyboard.press('Shift+ArrowLeft');
    await this.page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.transport!.recorded_from);
    await this.settle();
  }

  /** The middle of a body, on the page. */
  async middleOfBody(body = 0): Promise<Spot> {
    return this.pixelOf(await this.page.evaluate((index) => window.sinew.viewport.body(index)!.box().centre.toArray(), body));
  }

  /** A value of the scene, as the server says it is. */
  async value(path: string): Promise<Json | undefined> {
    return valueAt(await this.page.evaluate(() => window.sinew.session.document!.scene), path);
  }

  /** Waits until the server says that a value is this. */
  becomes(path: string, value: unknown): Promise<void> {
    return expect.poll(() => this.value(path), { message: path }).toEqual(value);
  }

  /** Where the first body's points are in the last of `count` ghosts of what comes next; empty until all are there. */
  lastGhost(count = 6): Promise<number[]> {
    return this.page.evaluate((all) => (window.sinew.own.metaphors.ghosts.count === all ? window.sinew.own.metaphors.ghosts.placesOf(0) : []), count);
  }

  /** Labels of what can be undone, newest last. */
  undos(): Promise<string[]> {
    return this.page.evaluate(() => window.sinew.session.document!.undo);
  }

  /** How many steps can be undone, once the gesture whose previews may already be seen has ended. */
  async steps(): Promise<number> {
    await this.page.waitForFunction(() => window.sinew.session.document!.gesture === null);
    return (await this.undos()).length;
  }

  /** An editor of the inspector, by the path of its value. */
  field(path: string): Locator {
    return this.page.locator(`[data-field="${path}"]`);
  }

  /** Clicks a number and types into it. */
  async type(path: string, text: string): Promise<void> {
    await this.field(path).click();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** Presses a button of the mouse at a place of the page, moves, and lets it go. */
  async drag(from: Spot, to: Spot, button: 'left' | 'middle' = 'left'): Promise<void> {
    const { mouse } = this.page;
    await mouse.move(from.x, from.y);
    await mouse.down({ button });
    await mouse.move(to.x, to.y, { steps: 10 });
    await mouse.up({ button });
  }

  /** Drags a number to the side. */
  async dragNumber(path: string, dx: number): Promise<void> {
    const { x, y } = await this.middleOf(this.field(path));
    await this.drag({ x, y }, { x: x + dx, y });
  }

  /** Drops a file on the page, as from a folder's window. */
  drop(name: string, text: string): Promise<void> {
    return this.dropFiles([[name, Buffer.from(text).toString('base64')]]);
  }

  /** Drops several together: their names and their bytes in base 64. */
  async dropFiles(files: readonly (readonly [string, string])[]): Promise<void> {
    const data = await this.page.evaluateHandle((given) => {
      const transfer = new DataTransfer();
      for (const [name, bytes] of given) transfer.items.add(new File([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], name));
      return transfer;
    }, files);
    await this.page.dispatchEvent('main', 'dragenter', { dataTransfer: data });
    await this.page.getByText('Drop the mesh').waitFor();
    await this.page.dispatchEvent('main', 'drop', { dataTransfer: data });
  }

  /** Waits until a dropped mesh is the first body of the scene. */
  async brought(): Promise<void> {
    await this.page.waitForFunction(() => {
      const skin = (window.sinew.session.document?.scene as { body?: { skin?: { mesh?: string } }[] } | undefined)?.body?.[0]?.skin;
      return skin?.mesh !== undefined && window.sinew.session.scene !== null && window.sinew.viewport.body(0)?.vertexAt(0);
    }, null, { timeout: 120_000 });
  }

  /** Where the mouse meets something, scrolled into view. */
  async middleOf(what: Locator): Promise<Spot> {
    await what.scrollIntoViewIfNeeded();
    const box = (await what.boundingBox())!;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /** Gives the keyboard back to the stage, as a press of the middle button over it does. */
  async leaveControls(): Promise<void> {
    await this.page.locator('main canvas').first().click({ button: 'middle', position: { x: 60, y: 330 } });
  }

  /** Does something that is one step of the history, and waits until it is. The stage may still be making what it means. */
  async step(run: () => Promise<unknown>): Promise<void> {
    const before = await this.steps();
    await run();
    await this.page.waitForFunction((count) => window.sinew.session.document!.undo.length === count, before + 1);
  }

  /** Waits until the stage shows the scene as it was edited. */
  async built(): Promise<void> {
    await this.sync();
    await this.page.waitForFunction(() => window.sinew.session.document!.building === null && window.sinew.session.scene !== null && window.sinew.viewport.body(0)?.vertexAt(0));
  }

  /** Where a place of the world is on the page. */
  async pixelOf(place: readonly number[]): Promise<Spot> {
    return this.page.evaluate((at) => {
      const { left, top } = document.querySelector('main canvas')!.getBoundingClientRect();
      const { x, y } = window.sinew.viewport.pixelOf(at as [number, number, number]);
      return { x: left + x, y: top + y };
    }, place);
  }

  /** Selects something in the outliner. */
  async select(path: string): Promise<void> {
    await this.page.locator(`[role=treeitem][data-path="${path}"]`).click();
  }

  /** Runs a command of the palette by typing its name. */
  async command(name: string): Promise<void> {
    await this.page.keyboard.press('Control+k');
    await this.page.getByRole('combobox', { name: 'Commands' }).fill(name);
    await this.page.keyboard.press('Enter');
  }

  /** Serious faults that axe finds in what is on screen now. */
  async faults(): Promise<string[]> {
    await this.page.evaluate(axe.source);
    return this.page.evaluate(async () => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run();
      return violations
        .filter((fault) => fault.impact === 'serious' || fault.impact === 'critical')
        .map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.html.slice(0, 200)).join(' ')}`);
    });
  }
}

/** In the page: notes when the second frame of a running show has been drawn. */
function noteFirstMotion(): void {
  let seen: number | null = null;
  const look = (): void => {
    const { session, viewport } = window.sinew ?? {};
    const frame = viewport?.body(0)?.fleshNow ? session?.frame : undefined;
    if (frame !== undefined && seen !== null && frame !== seen && document.readyState === 'complete') {
      const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      window.firstMotionMs = performance.now() - navigation!.loadEventEnd;
      return;
    }
    seen = frame ?? seen;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** `SINEW_PAGE_DIST` has a page that was built beside the program (`npm run build`): it is shown instead of the program's own. */
async function servePage(page: Page): Promise<void> {
  const folder = process.env.SINEW_PAGE_DIST;
  if (!folder) return;
  const types: Record<string, string> = { js: 'text/javascript', css: 'text/css', woff2: 'font/woff2', svg: 'image/svg+xml' };
  await page.route(/\/assets\//, async (route) => {
    const ending = new URL(route.request().url()).pathname.split('.').at(-1)!;
    const file = readdirSync(join(folder, 'assets')).find((name) => name.endsWith(`.${ending}`))!;
    await route.fulfill({ path: join(folder, 'assets', file), contentType: types[ending]! });
  });
}

/** What the person at this machine prefers, unless a studio kept something there before. */
function prefer(folder: string, kept: Record<string, string>): void {
  const state = join(folder, '.state', 'sinew');
  if (existsSync(join(state, 'preferences.json'))) return;
  mkdirSync(state, { recursive: true, mode: 0o700 });
  writeFileSync(join(state, 'preferences.json'), JSON.stringify(kept));
}

function startServer(folder: string, scene?: string): ChildProcess {
  const command = process.env.SINEW_BIN;
  if (!command) throw new Error('SINEW_BIN names the program to test, with arguments or without: "target/release/sinew studio --no-open"');
  const [program = '', ...given] = command.split(/\s+/);
  const args = scene ? ['studio', scene, '--no-open'] : given.length > 0 ? given : ['studio', '--no-open'];
  // Unsaved work of other runs is none of a test's business.
  const env = { ...process.env, XDG_STATE_HOME: join(folder, '.state') };
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: folder, env });
}

function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!server.stdout) return reject(new Error('the server has no output'));
    createInterface({ input: server.stdout }).once('line', resolve);
    server.once('exit', (code) => reject(new Error(`the server ended with ${code} before it said where it is`)));
    server.once('error', reject);
  });
}
