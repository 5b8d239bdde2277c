/** A studio server and a browser on its page. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Browser, type Page, chromium } from 'playwright-core';
import type { Session } from '../src/client/session.svelte';
import type { Studio as StudioState } from '../src/document/studio.svelte';
import type { Viewport } from '../src/stage/viewport';
import type { Actions } from '../src/tools/actions';

/** What the page offers to scripts. */
declare global {
  interface Window {
    sinew: { session: Session; studio: StudioState; viewport: Viewport; actions: Actions };
  }
}

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
];

export class Studio {
  /** What the browser complained about. */
  readonly complaints: string[] = [];

  private constructor(
    readonly url: string,
    readonly page: Page,
    private readonly browser: Browser,
    private readonly server: ChildProcess,
  ) {}

  /** Starts the command in `SINEW_BIN` (which prints its address first) and opens that address. */
  static async open(width = 1440, height = 900): Promise<Studio> {
    const server = startServer();
    const url = await firstLine(server);
    const browser = await chromium.launch({ executablePath: browserPath(), args: FLAGS });
    const page = await browser.newPage({ viewport: { width, height } });
    const studio = new Studio(url, page, browser, server);
    page.on('pageerror', (error) => studio.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') studio.complaints.push(message.text());
    });
    await page.goto(url);
    await page.waitForFunction(() => window.sinew?.viewport?.body(0)?.vertexAt(0));
    return studio;
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.stopServer();
  }

  stopServer(): void {
    this.server.kill();
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
    if (await this.page.evaluate(() => window.sinew.session.transport?.playing)) await this.page.keyboard.press('Space');
    await this.page.waitForFunction(() => window.sinew.session.transport?.playing === false);
    await this.settle();
  }

  /** Waits until what is on screen is what the server shows. */
  async settle(): Promise<void> {
    await this.page.waitForFunction(() => window.sinew.session.transport?.frame === window.sinew.session.frame);
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }
}

function startServer(): ChildProcess {
  const command = process.env.SINEW_BIN;
  if (!command) throw new Error('SINEW_BIN names the program to test, with arguments or without: "target/release/sinew studio --no-open"');
  const [program = '', ...args] = command.split(/\s+/);
  return spawn(program, args.length > 0 ? args : ['studio', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!server.stdout) return reject(new Error('the server has no output'));
    createInterface({ input: server.stdout }).once('line', resolve);
    server.once('exit', (code) => reject(new Error(`the server ended with ${code} before it said where it is`)));
    server.once('error', reject);
  });
}

function browserPath(): string {
  const found = [process.env.CHROMIUM ?? '', ...BROWSERS].find((path) => path && existsSync(path));
  if (!found) throw new Error(`no browser found: install Chromium (tried ${BROWSERS.join(', ')}) or set CHROMIUM`);
  return found;
}
