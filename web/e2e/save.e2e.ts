/** Workflow 5: save and open again, export every format, and compare takes. Undo and redo are in `history.e2e.ts`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MESHES, PICTURES } from '../src/dialogs/formats';
import { Eyes, differing } from './eyes';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'bar-pin' });
});
afterAll(async () => {
  await studio?.close();
});

const HAS_FFMPEG = spawnSync('ffmpeg', ['-version']).status === 0;
const text = () => readFileSync(join(studio.folder, 'my-bar.toml'), 'utf8');

describe('work', () => {
  let body = '';

  it('is saved: a built-in scene asks for a name first', async () => {
    const { page } = studio;
    body = await page.evaluate(() => window.sinew.session.scene!.bodies[0]!.path);
    await studio.select(body);
    expect(await page.getByTestId('unsaved').count()).toBe(0);
    await studio.type(`${body}.velocity[0]`, '3/4');
    await page.getByTestId('unsaved').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByRole('textbox', { name: 'File name' }).fill('my-bar');
    await page.keyboard.press('Enter');
    await page.getByTestId('unsaved').waitFor({ state: 'detached' });
    expect(text()).toMatch(/velocity = \[0\.75, 0/);
    expect(await page.getByTestId('scene').textContent()).toBe('my-bar');
    await studio.type(`${body}.velocity[0]`, '0.5');
    await page.getByTestId('unsaved').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByTestId('unsaved').waitFor({ state: 'detached' });
    expect(text()).toMatch(/velocity = \[0\.5, 0/);
  });

  it('is opened again as it was', async () => {
    const { page } = studio;
    await studio.command('bar-rest');
    await page.waitForFunction(() => window.sinew.session.document!.name === 'bar-rest');
    await page.keyboard.press('Control+o');
    await page.getByRole('dialog', { name: 'Scenes' }).locator('[data-scene="my-bar.toml"]').click();
    await page.waitForFunction(() => window.sinew.session.document!.file === 'my-bar.toml');
    expect(await studio.value(`${body}.velocity`)).toEqual([0.5, 0, 0]);
    await page.waitForFunction(() => window.sinew.viewport.body(0)?.vertexAt(0));
  });
});

describe('export', () => {
  it('writes every format, with progress, beside the scene', async () => {
    const { page } = studio;
    await studio.select('scene');
    await studio.type('scene.frames[1]', '6');
    await expect.poll(() => studio.value('scene.frames[1]')).toBe(6);
    await page.keyboard.press('Control+s');
    await page.getByTestId('unsaved').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+e');
    const dialog = page.getByRole('dialog', { name: 'Export' });
    // Every format that the wire knows is offered: the names of the server's own lists.
    const offered = [...MESHES, ...PICTURES].map(({ format }) => format).sort();
    expect(offered).toEqual(formatsOnTheWire().sort());
    for (const { format } of MESHES) {
      await dialog.locator(`[data-format=${format}]`).click();
      await dialog.getByRole('textbox', { name: 'File name' }).fill(`out-${format}`);
      await makeAndWait(dialog, format);
    }
    await dialog.getByRole('radio', { name: 'Film or picture' }).click();
    await dialog.getByRole('radio', { name: '640 × 360' }).click();
    for (const { format } of PICTURES) {
      await dialog.locator(`[data-format=${format}]`).click();
      await dialog.getByRole('textbox', { name: 'File name' }).fill(`film-${format}`);
      await makeAndWait(dialog, format);
    }
    await page.keyboard.press('Escape');
  });

  /** As the generated types say them. */
  function formatsOnTheWire(): string[] {
    const types = readFileSync(new URL('../src/document/generated/protocol.ts', import.meta.url), 'utf8');
    return ['ExportFormat', 'RenderFormat'].flatMap((name) => [...new RegExp(`type ${name} = ([^;]+);`).exec(types)![1]!.matchAll(/"(\w+)"/g)].map(([, word]) => word!));
  }

  async function makeAndWait(dialog: ReturnType<Studio['page']['getByRole']>, format: string): Promise<void> {
    const { page } = studio;
    const known = await page.evaluate(() => Math.max(0, ...window.sinew.session.jobs.map((job) => job.id)));
    await dialog.locator('[data-action=export-go]').click();
    const job = () => page.evaluate((after) => window.sinew.session.jobs.find((each) => each.id > after) ?? null, known);
    await expect.poll(async () => { const now = await job(); return Boolean(now?.done ?? now?.failed); }, { timeout: 90_000 }).toBe(true);
    const ended = (await job())!;
    if (format === 'mp4' && !HAS_FFMPEG) {
      expect(ended.failed, 'it says what is missing').toMatch(/ffmpeg/i);
      return;
    }
    expect(ended.failed, format).toBeNull();
    expect(ended.done!.files.length, format).toBeGreaterThan(0);
    for (const file of ended.done!.files) {
      expect(existsSync(join(studio.folder, file)), `${format}: ${file}`).toBe(true);
      expect(statSync(join(studio.folder, file)).size, file).toBeGreaterThan(20);
    }
    const link = dialog.locator(`[data-job="${ended.id}"] a`).first();
    const answer = await page.request.get(new URL((await link.getAttribute('href'))!, studio.page.url()).href);
    expect(answer.status(), format).toBe(200);
  }
});

describe('takes', () => {
  it('are kept by name, compared on screen beside the live bodies or instead of them, and thrown away', async () => {
    const { page } = studio;
    const eyes = await Eyes.of(page);
    /** The picture once it stands still: two in a row that are the same, seen from the same place. */
    const whole = async () => {
      const main = (await page.locator('main').boundingBox())!;
      const look = async () => {
        await studio.settle();
        return eyes.region({ x: main.x + 60, y: main.y + 60, width: main.width - 160, height: main.height - 120 });
      };
      let [before, now] = [await look(), await look()];
      while (differing(before, now) > 0) [before, now] = [now, await look()];
      return now;
    };
    /** Goes to the last frame that is kept, and frames what is there. */
    const frameTheEnd = async (): Promise<void> => {
      await page.keyboard.press('Shift+ArrowRight');
      await page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.transport!.recorded_to);
      await studio.settle();
      await page.keyboard.press('Home');
      await studio.settle();
    };
    /** Runs to the last frame and keeps it. */
    const keep = async (name: string): Promise<void> => {
      await studio.built();
      await studio.leaveControls();
      if (!(await page.evaluate(() => window.sinew.session.transport!.playing))) await page.keyboard.press('Space');
      await page.waitForFunction(() => window.sinew.session.transport!.recorded_to >= 6 && window.sinew.session.transport!.stale_from === null, null, { timeout: 60_000 });
      await studio.pause();
      await page.locator('[data-action=keep-take]').click();
      await page.getByRole('textbox', { name: 'Name of the take' }).fill(name);
      await page.keyboard.press('Enter');
      await page.waitForFunction((wanted) => window.sinew.session.takes.names.some((take) => take.name === wanted), name);
    };
    await page.locator('[data-action=restart]').click();
    await keep('calm');
    await studio.select(body());
    await studio.type(`${body()}.velocity[1]`, '6');
    await expect.poll(() => studio.value(`${body()}.velocity[1]`)).toBe(6);
    await keep('fast');
    expect(await page.evaluate(() => window.sinew.session.takes.names.map(({ name }) => name))).toEqual(['calm', 'fast']);
    await frameTheEnd();
    const alone = await whole();
    await page.locator('[data-take=calm]').click();
    await page.waitForFunction(() => window.sinew.session.takes.shown === 'calm' && !window.sinew.session.takes.instead);
    await expect.poll(async () => differing(await whole(), alone), { message: 'its ghost is seen' }).toBeGreaterThan(300);
    const ghost = await whole();
    await page.locator('[data-take=calm]').click();
    await page.waitForFunction(() => window.sinew.session.takes.instead);
    await expect.poll(async () => differing(await whole(), ghost), { message: 'it is seen instead' }).toBeGreaterThan(300);
    await page.locator('[data-take=fast]').click();
    await page.waitForFunction(() => window.sinew.session.takes.shown === 'fast');
    await page.locator('[data-take=fast]').click();
    await page.locator('[data-take=fast]').click();
    await page.waitForFunction(() => window.sinew.session.takes.shown === null);
    await expect.poll(async () => differing(await whole(), alone)).toBeLessThan(100);
    await page.getByRole('button', { name: 'Delete take fast' }).click();
    await page.getByRole('alertdialog', { name: 'Delete the take?' }).getByRole('button', { name: 'Keep it' }).click();
    expect(await page.evaluate(() => window.sinew.session.takes.names.length), 'a take goes only when that was said twice').toBe(2);
    await page.getByRole('button', { name: 'Delete take fast' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForFunction(() => window.sinew.session.takes.names.length === 1);
    expect(readdirSync(studio.folder).length).toBeGreaterThan(3);
    expect(studio.complaints).toEqual([]);
  });

  const body = () => bodyPath;
  let bodyPath = '';
  beforeAll(async () => {
    bodyPath = await studio.page.evaluate(() => window.sinew.session.scene!.bodies[0]!.path);
  });
});
