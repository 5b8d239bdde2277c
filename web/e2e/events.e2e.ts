/** What hands do is part of the scene: on the timeline, moved, deleted, undone, baked and exported. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barOverGround } from './scenes';
import { type Spot, Studio } from './studio';

let studio: Studio;
afterAll(() => studio?.close());

type Clip = { kind: string; frame: number; path?: number[][] };
const events = async (body: string): Promise<Clip[]> => ((await studio.value(`body.${body}.event`)) ?? []) as unknown as Clip[];
const transport = () => studio.page.evaluate(() => window.sinew.session.transport!);
const heldPlace = () => studio.page.evaluate(() => window.sinew.viewport.body(0)!.vertexAt(0)!);

async function go(frame: number): Promise<void> {
  await studio.page.locator('[data-field="frame"]').click();
  await studio.page.keyboard.type(String(frame));
  await studio.page.keyboard.press('Enter');
  await studio.page.waitForFunction((wanted) => window.sinew.session.frame === wanted, frame);
  await studio.leaveControls();
  await studio.settle();
}

/** Plays on to a frame. */
async function simulateTo(frame: number): Promise<void> {
  await studio.leaveControls();
  while ((await studio.frame()) < frame) {
    const before = await studio.frame();
    await studio.page.keyboard.press('ArrowRight');
    await studio.page.waitForFunction((was) => window.sinew.session.frame > was, before);
  }
  await studio.settle();
}

/** Where a frame of a row of the dope sheet is on the page. */
async function onTimeline(row: string, frame: number): Promise<Spot> {
  const box = (await studio.page.getByRole('slider', { name: 'Timeline' }).boundingBox())!;
  const name = (await studio.page.locator('.timeline .row', { hasText: row }).boundingBox())!;
  const [first, last] = await studio.page.evaluate(() => [window.sinew.session.scene!.first_frame, window.sinew.session.scene!.last_frame]);
  return { x: box.x + 16 + ((frame - first!) / (last! - first!)) * (box.width - 32), y: name.y + name.height / 2 };
}

describe('a pull', () => {
  beforeAll(async () => {
    studio = await Studio.open({ text: barOverGround() });
    await studio.pause();
    await studio.page.locator('[data-action=restart]').click();
    await studio.page.waitForFunction(() => window.sinew.session.transport!.recorded_to === 1);
  });

  it('at an early frame leaves later ones, stale, and becomes an event of the scene', async () => {
    const { page } = studio;
    await simulateTo(30);
    await go(12);
    const at = await studio.middleOfBody();
    await page.keyboard.press('q');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.waitForTimeout(200);
    await page.mouse.move(at.x + 80, at.y - 120, { steps: 6 });
    await page.waitForFunction(() => document.querySelector('canvas')?.dataset.doing === 'pull');
    for (let frame = 13; frame <= 20; frame++) {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((wanted) => window.sinew.session.transport!.shown === wanted, frame);
    }
    expect(await events('bar')).toEqual([]);
    await page.mouse.up();
    await expect.poll(() => events('bar')).toHaveLength(1);
    const [pull] = await events('bar');
    expect(pull).toMatchObject({ kind: 'pull', frame: 12 });
    expect(pull!.path!.at(-1)![0]).toBe(8);
    expect(await studio.undos()).toEqual(['pull bar at frame 12']);
    // What was simulated under the hand stays; what came after it is stale, and can be looked at.
    await expect.poll(transport).toMatchObject({ frame: 20, shown: 20, recorded_to: 30, stale_from: 21 });
    await go(28);
    expect(await transport()).toMatchObject({ frame: 28, shown: 28 });
  });

  it('is a clip that is dragged in time: what it does happens then', async () => {
    const { page } = studio;
    await go(20);
    const pulled = await heldPlace();
    await studio.drag(await onTimeline('bar · hands', 15), await onTimeline('bar · hands', 19));
    await expect.poll(async () => (await events('bar'))[0]!.frame).toBe(16);
    await expect.poll(transport).toMatchObject({ frame: 20, stale_from: 13 });
    if (process.env.SINEW_SHOTS) await page.screenshot({ path: join(process.env.SINEW_SHOTS, 'events.png') });
    await studio.leaveControls();
    await page.keyboard.press('Space');
    await page.waitForFunction(() => (window.sinew.session.transport!.stale_from ?? 99) > 24);
    await studio.pause();
    await go(20);
    const later = await heldPlace();
    expect(Math.hypot(...later.map((c, i) => c - pulled[i]!)), 'metres from where it was').toBeGreaterThan(0.02);
    // Undone, it is as it was to the last digit.
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await events('bar'))[0]!.frame).toBe(12);
    await expect.poll(async () => (await transport()).stale_from).toBe(13);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => (window.sinew.session.transport!.stale_from ?? 99) > 24);
    await studio.pause();
    await go(20);
    expect(await heldPlace()).toEqual(pulled);
  });

  it('is deleted and comes back', async () => {
    const { page } = studio;
    const { x, y } = await onTimeline('bar · hands', 15);
    await page.mouse.click(x, y);
    await page.keyboard.press('Delete');
    await expect.poll(() => events('bar')).toEqual([]);
    expect((await transport()).stale_from).toBe(13);
    await page.keyboard.press('Control+z');
    await expect.poll(() => events('bar')).toHaveLength(1);
  });

  it('is in the file, and the live run is exported with it', async () => {
    const { page } = studio;
    await page.keyboard.press('Control+s');
    await expect.poll(() => readFileSync(join(studio.folder, 'own.toml'), 'utf8')).toContain('[[body.event]]\nkind = "pull"\nframe = 12');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => (window.sinew.session.transport!.stale_from ?? 99) > 22);
    await studio.pause();
    await page.keyboard.press('Control+e');
    const reached = await page.evaluate(() => (window.sinew.session.transport!.stale_from ?? window.sinew.session.transport!.recorded_to + 1) - 1);
    await page.locator('[data-field="export-take"]').selectOption({ label: `The live run, frames 1–${reached}` });
    await page.locator('[data-format=npz]').click();
    if (process.env.SINEW_SHOTS) await page.screenshot({ path: join(process.env.SINEW_SHOTS, 'export.png') });
    await page.locator('[data-action=export-go]').click();
    await expect.poll(() => existsSync(join(studio.folder, 'own.npz')) && statSync(join(studio.folder, 'own.npz')).size, { timeout: 30_000 }).toBeGreaterThan(1000);
    await page.keyboard.press('Escape');
    expect(studio.complaints).toEqual([]);
  });
});

describe('a touch', () => {
  it('of a body that responds is an event with its response behind it, and touches of the scene are dragged alike', async () => {
    await studio.close();
    studio = await Studio.open({ scene: 'snail-touch' });
    const { page } = studio;
    await studio.pause();
    await studio.toFirst();
    await simulateTo(5);
    await page.keyboard.press('w');
    const at = await studio.middleOfBody();
    await page.mouse.click(at.x, at.y);
    await expect.poll(() => events('snail')).toHaveLength(1);
    expect((await events('snail'))[0]).toMatchObject({ kind: 'touch', frame: 5 });
    expect(await transport()).toMatchObject({ frame: 5, shown: 5 });
    if (process.env.SINEW_SHOTS) await page.screenshot({ path: join(process.env.SINEW_SHOTS, 'touch.png') });
    const path = (await page.evaluate(() => JSON.stringify(window.sinew.session.document!.scene))).match(/"touches":\[\{[^}]*"frame":64/);
    expect(path, 'a touch that the scene has of its own').not.toBeNull();
    await studio.drag(await onTimeline('snail · hands', 64), await onTimeline('snail · hands', 70));
    await expect.poll(() => page.evaluate(() => JSON.stringify(window.sinew.session.document!.scene))).toMatch(/"frame":70/);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => events('snail')).toEqual([]);
    expect(studio.complaints).toEqual([]);
  });
});
