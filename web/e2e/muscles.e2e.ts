/** A body with several muscles: what is shown and painted is the one that was chosen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { place } from './painting';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'heart' });
  await studio.pause();
});
afterAll(() => studio?.close());

/** The amplitude on screen: how many points of the flesh it is above one half at, and where those lie on average. */
const seen = (): Promise<{ many: number; x: number } | null> =>
  studio.page.evaluate(() => {
    const { viewport } = window.sinew;
    const field = viewport.fields.valuesOf(0, 'amplitude');
    const model = viewport.body(0)?.model;
    if (!field || !model) return null;
    const on = [...field.values.keys()].filter((point) => field.values[point]! > 0.5);
    return { many: on.length, x: on.reduce((sum, point) => sum + model.rest[3 * point]!, 0) / Math.max(1, on.length) };
  });

describe('a heart with two muscles', () => {
  it('shows the fields of the muscle that is chosen', async () => {
    const { page } = studio;
    await page.keyboard.press('Alt+2');
    await page.locator('[data-field=amplitude]').click();
    await studio.field('fields-muscle').selectOption({ label: 'left' });
    await expect.poll(async () => (await seen())?.many ?? 0).toBeGreaterThan(300);
    const left = (await seen())!;
    await studio.field('fields-muscle').selectOption({ label: 'right' });
    await expect.poll(async () => (await seen())?.many ?? 0, { message: 'the free wall of the right ventricle alone' }).toBeLessThan(0.5 * left.many);
    const right = (await seen())!;
    expect(right.many).toBeGreaterThan(10);
    expect(right.x, 'it lies to one side').toBeLessThan(left.x - 0.2);
    // A muscle that is selected elsewhere is the one that shows, too.
    await page.evaluate(() => window.sinew.studio.select('body.heart.director.left'));
    await expect.poll(async () => (await seen())?.many).toBe(left.many);
  });

  it('is painted where it is seen: a stroke on the right ventricle changes the right muscle and shows', async () => {
    const { page } = studio;
    await studio.field('fields-muscle').selectOption({ label: 'right' });
    const before = await studio.value('body.heart.director.left.amplitude');
    await expect.poll(async () => (await seen())?.many ?? 1e9).toBeLessThan(400);
    const was = (await seen())!.many;
    await page.keyboard.press('3');
    const at = await studio.middleOfBody();
    await studio.step(() => studio.drag({ x: at.x - 30, y: at.y }, { x: at.x + 30, y: at.y + 10 }));
    await expect.poll(async () => JSON.stringify(await studio.value('body.heart.director.right.amplitude'))).toContain('stroke');
    expect(await studio.value('body.heart.director.left.amplitude')).toEqual(before);
    await expect.poll(async () => (await seen())!.many).not.toBe(was);
  });

  it('is filled on a cut: a flat fill covers the open section, inside too', async () => {
    const { page } = studio;
    await page.locator('[data-field=cut-view]').click();
    await page.waitForFunction(() => window.sinew.viewport.fields.section.section !== null && window.sinew.viewport.fields.section.mesh.visible);
    await studio.leaveControls();
    await page.keyboard.press('2');
    const spot = await place(studio, { on: 'section' });
    await studio.step(() => page.mouse.click(spot.x, spot.y));
    const paint = ((await studio.value('body.heart.director.right.amplitude')) as { paint: { stroke?: number[][] }[] }).paint;
    expect(paint.at(-1)!.stroke!.length).toBeGreaterThan(20);
    await page.locator('[data-field=cut-view]').click();
  });

  it('responds to touch and contact by switches', async () => {
    const { page } = studio;
    const at = 'body.heart.director.right.respond';
    await page.locator('[data-field=respond]').click();
    await studio.becomes(`${at}.to`, ['touch']);
    await page.locator('[data-field=respond-contact]').click();
    await studio.becomes(`${at}.to`, ['touch', 'contact']);
    await page.locator('[data-field=respond-touch]').click();
    await studio.becomes(`${at}.to`, ['contact']);
    await page.locator('[data-field=respond-contact]').click();
    await expect.poll(async () => (await studio.value(at)) ?? null).toBeNull();
    expect(studio.complaints).toEqual([]);
  });

  it('has its keys in the list of shortcuts', async () => {
    const { page } = studio;
    await studio.leaveControls();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).getByRole('heading', { name: 'Fields workspace' }).waitFor();
    await page.keyboard.press('Escape');
  });
});
