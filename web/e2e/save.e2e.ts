/** Workflow 5: save and open again, undo and redo across everything, export every format, and compare takes. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
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
const text = (file = 'my-bar.toml') => readFileSync(join(studio.folder, file), 'utf8');

/** A bar so small that its stage is made at once, however often. */
const SMALL = `# Edited fifty times.
sinew = 1

[scene]
gravity = [0.0, 0.0, 0.0]

[[body]]
name = "bar"
skin = { model = "bar", size = [0.6, 0.15, 0.15] }
at = [0.0, 0.5, 0.0]
flesh = { kind = "tets", vertices = 60 }

[camera]
eye = [0.6, 0.9, 1.6]
look_at = [0.0, 0.5, 0.0]
`;

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

  it('goes back 50 steps and forward again, across every workflow, to the same bytes', async () => {
    const { page } = studio;
    const step = (run: () => Promise<unknown>) => studio.step(run);
    const key = (name: string) => page.keyboard.press(name);
    /** Saved as it is now. */
    const saved = async (): Promise<string> => {
      await key('Control+s');
      await page.getByTestId('unsaved').waitFor({ state: 'detached' });
      return text('small.toml');
    };
    writeFileSync(join(studio.folder, 'small.toml'), SMALL);
    await page.evaluate(() => window.sinew.session.open('small.toml'));
    await page.waitForFunction(() => window.sinew.session.document!.file === 'small.toml' && window.sinew.session.scene!.name === 'small');
    const body = 'body.bar';
    expect(await studio.undos()).toEqual([]);
    await studio.select(body);
    await studio.leaveControls();
    await studio.pause();
    // Numbers, words and switches of the inspector.
    const start = SMALL;
    await step(() => studio.field(`${body}.material.preset`).selectOption('fat'));
    await step(() => studio.type(`${body}.material.density_kg_m3`, '990'));
    await step(() => studio.field(`${body}.material.damping`).selectOption('heavy'));
    // Placed by hand.
    await studio.built();
    await studio.leaveControls();
    for (const [mode, amount] of [['g', 'x.1'], ['g', 'y-.05'], ['r', 'z15'], ['r', 'y-20']] as const) {
      await step(async () => {
        await key(mode);
        await page.keyboard.type(amount);
        await key('Enter');
      });
    }
    // Keys, names and things.
    await studio.select('camera');
    await step(() => page.locator('[data-key="camera.eye"]').click());
    await studio.select('light');
    await step(() => studio.type('light.strength', '1.3'));
    await step(async () => {
      await page.locator('[data-action=add]').click();
      await page.getByRole('menuitem', { name: 'Box' }).click();
    });
    await step(async () => {
      await key('F2');
      await page.keyboard.type('crate');
      await key('Enter');
    });
    await step(() => studio.type('obstacle.crate.at[0]', '2'));
    await step(() => page.locator('[data-key="obstacle.crate.at"]').click());
    await studio.leaveControls();
    // Later than the first key, wherever the new stage began.
    const first = await page.evaluate(() => window.sinew.session.scene!.first_frame);
    const keyedAt = ((await studio.value('obstacle.crate.at[0]')) as number[][])[0]![0]!;
    await expect.poll(async () => {
      const now = await page.evaluate(() => window.sinew.session.frame);
      if (now === keyedAt || now === first) await key('ArrowRight');
      return now;
    }).not.toBe(keyedAt);
    await studio.settle();
    await step(async () => {
      await key('g');
      await page.keyboard.type('z1');
      await key('Enter');
    });
    // Pins where the mouse draws a box, and a director that is muted.
    await studio.built();
    await studio.select(body);
    await studio.leaveControls();
    const toFirst = async (): Promise<{ x: number; y: number }> => {
      await studio.built();
      await key('Shift+ArrowLeft');
      await page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.transport!.recorded_from);
      await studio.settle();
      return studio.pixelOf(await page.evaluate(() => window.sinew.viewport.body(0)!.box().centre.toArray()));
    };
    let middle = await toFirst();
    await key('b');
    await step(async () => {
      await page.mouse.move(middle.x - 260, middle.y - 120);
      await page.mouse.down();
      await page.mouse.move(middle.x + 60, middle.y + 120, { steps: 4 });
      await page.mouse.up();
    });
    await key('q');
    await studio.select(body);
    await step(async () => {
      await page.locator('[data-action=add-director]').click();
      await page.getByRole('menuitem', { name: 'Force' }).click();
    });
    await step(() => studio.type(`${body}.director.force.newton[1]`, '5'));
    await step(() => page.locator('[role=treeitem][aria-selected=true] .mute').click());
    // A muscle, its fields and its charts.
    await studio.select(body);
    await studio.leaveControls();
    await key('Alt+2');
    await step(() => page.locator('[data-action=add-muscle-left]').click());
    middle = await toFirst();
    const stroke = async (dy: number): Promise<void> => {
      await page.mouse.move(middle.x - 30, middle.y + dy);
      await page.mouse.down();
      await page.mouse.move(middle.x + 30, middle.y + dy, { steps: 6 });
      await page.mouse.up();
    };
    for (const field of ['layer', 'phase', 'amplitude']) {
      await page.locator(`button[data-field=${field}]`).click();
      await studio.leaveControls();
      await key('3');
      for (const dy of [-6, 6]) await step(() => stroke(dy));
    }
    await key('1');
    await step(() => page.mouse.click(middle.x, middle.y));
    await key('d');
    await step(() => stroke(0));
    await step(() => page.getByRole('radio', { name: 'Second', exact: true }).click());
    await step(() => studio.type(`${body}.director.muscle.period`, '2'));
    const plot = page.locator('[data-chart=primary] [role=listbox]');
    await plot.scrollIntoViewIfNeeded();
    const chart = (await plot.boundingBox())!;
    await step(() => page.mouse.click(chart.x + 0.8 * chart.width, chart.y + 14 + 0.5 * (chart.height - 46)));
    await step(async () => {
      await plot.focus();
      await key('Delete');
    });
    await key('Alt+1');
    // The solver, and the rest with arrows on a number, which are a step each.
    await studio.select(body);
    await step(() => studio.field(`${body}.solver.kind`).selectOption('fem'));
    await step(() => studio.type(`${body}.velocity[1]`, '1/4'));
    const left = 50 - (await studio.undos()).length;
    expect(left).toBeGreaterThanOrEqual(0);
    await studio.field(`${body}.velocity[2]`).focus();
    for (let i = 0; i < left; i++) await step(() => key('ArrowUp'));
    expect((await studio.undos()).length).toBe(50);
    await studio.leaveControls();
    const end = await saved();
    expect(end).not.toBe(start);
    const go = async (press: string, fills: 'undo' | 'redo'): Promise<void> => {
      for (let i = 0; i < 50; i++) await key(press);
      await page.waitForFunction((stack) => window.sinew.session.document![stack as 'undo' | 'redo'].length === 50, fills, { timeout: 60_000 });
      await studio.built();
    };
    await go('Control+z', 'redo');
    expect(await saved(), '50 steps back').toBe(start);
    await go('Control+Shift+z', 'undo');
    expect(await saved(), '50 steps forward').toBe(end);
    await go('Control+z', 'redo');
    expect(await saved()).toBe(start);
    await page.evaluate(() => window.sinew.session.open('my-bar.toml'));
    await page.waitForFunction(() => window.sinew.session.document!.file === 'my-bar.toml' && window.sinew.session.scene!.name === 'my-bar');
    await studio.built();
  }, 300_000);
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
    const whole = async () => {
      await studio.settle();
      const main = (await page.locator('main').boundingBox())!;
      return eyes.region({ x: main.x + 60, y: main.y + 60, width: main.width - 160, height: main.height - 120 });
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
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Home');
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
