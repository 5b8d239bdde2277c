/** No number that is typed takes the machine away: builds are asked about, can be stopped, and give way to newer ones. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slowdown } from './machine';
import { Studio } from './studio';

let studio: Studio;
const VERTICES = 'body.snail.flesh.vertices';
beforeAll(async () => {
  studio = await Studio.open({ text: 'sinew = 1\n[[body]]\nname = "snail"\nskin = { model = "snail", vertices = 4000 }\nflesh = { kind = "tets", vertices = 400 }\nat = [0.0, 0.6, 0.0]\n[[obstacle]]\nname = "ground"\nshape = "plane"\n' });
  await studio.pause();
  await studio.select('body.snail');
});
afterAll(() => studio?.close());

const block = () => studio.page.getByTestId('not-shown');
const points = (): Promise<number> => studio.page.evaluate(() => window.sinew.session.scene!.bodies[0]!.points);

describe('a number of vertices', () => {
  it('with too many nines is refused where it is typed', async () => {
    const { page } = studio;
    await studio.type(VERTICES, '99999999');
    await page.getByTestId('number-refused').waitFor();
    expect(await page.getByTestId('number-refused').textContent()).toContain('at most 2,000,000');
    await page.keyboard.press('Escape');
    expect(await studio.value(VERTICES)).toBe(400);
  });

  it('that would take much of the machine is asked about, and nothing is built', async () => {
    await studio.type(VERTICES, '2000000');
    await block().waitFor({ timeout: 5000 });
    const words = (await block().textContent())!;
    expect(words).toMatch(/2,000,000 vertices of flesh would take about [\d.]+ GB of this machine/);
    expect(await block().getByRole('button', { name: 'Build it anyway' }).count()).toBe(1);
    expect(await studio.page.evaluate(() => window.sinew.session.document!.building)).toBeNull();
    await block().getByRole('button', { name: /^Undo/ }).click();
    await block().waitFor({ state: 'detached' });
    expect(await points()).toBeLessThan(600);
  });

  it('that takes a while is a job with its percent, and Cancel ends it', async () => {
    const { page } = studio;
    await studio.type(VERTICES, '300000');
    const job = page.locator('.cards [data-job]');
    await job.waitFor({ timeout: 30_000 });
    await expect.poll(async () => (await job.textContent())!, { timeout: 30_000 }).toMatch(/\d+ %/);
    const began = Date.now();
    await job.getByRole('button', { name: 'Cancel' }).click();
    await block().waitFor({ timeout: 10_000 });
    expect(await block().textContent()).toContain('stopped');
    expect((Date.now() - began) / slowdown(), 'milliseconds until it was stopped').toBeLessThan(8000);
    expect(await page.locator('.cards [data-job]').count()).toBe(0);
  });

  it('that is corrected while it builds gives way to the newer one', async () => {
    await studio.type(VERTICES, '250000');
    await studio.page.waitForFunction(() => window.sinew.session.document!.building !== null);
    await studio.type(VERTICES, '500');
    await expect.poll(points, { timeout: 15_000 }).toBeLessThan(700);
    await studio.built();
    expect(await block().count()).toBe(0);
    expect(studio.complaints).toEqual([]);
  });

  it('does not keep the program from ending within a second', async () => {
    await studio.type(VERTICES, '300000');
    await studio.page.locator('.cards [data-job]').waitFor({ timeout: 30_000 });
    expect((await studio.endsWithinMs()) / slowdown()).toBeLessThan(1500);
  });
});
