/** Paint is local: it holds where it was painted, keeps what was there elsewhere, and stays within what was painted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Eyes } from './eyes';
import { Studio } from './studio';

const BAR = `sinew = 1
[scene]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "bar"
skin = { model = "bar", size = [1.6, 0.3, 0.3] }
flesh = { kind = "tets", vertices = 600 }
at = [0.0, 0.4, 0.0]
[[body.director]]
name = "pull"
kind = "muscle"
period = 1.0
primary = [[0.0, 1.0], [0.5, 0.9]]
fibres = { along = "x" }
[camera]
eye = [0.0, 1.0, 2.2]
look_at = [0.0, 0.4, 0.0]
`;
let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: BAR });
  await studio.toFirst();
  await studio.page.keyboard.press('Alt+2');
  await studio.page.locator('button[data-field=amplitude]').click();
});
afterAll(() => studio?.close());

/** Amplitudes of the flesh along the front of the bar, between two shares of its length. */
const amplitudes = (from: number, to: number): Promise<number[]> =>
  studio.page.evaluate(([low, high]) => {
    const { viewport } = window.sinew;
    const values = viewport.fields.valuesOf(0, 'amplitude')?.values ?? new Float32Array();
    const { rest } = viewport.body(0)!.model;
    const isThere = (point: number): boolean => rest[3 * point]! / 0.8 >= low! && rest[3 * point]! / 0.8 <= high! && rest[3 * point + 2]! > 0.1;
    return [...values.keys()].filter(isThere).map((point) => values[point]!);
  }, [from, to]);
const mean = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

/** Paints a value across the bar at a share of its length. */
async function paint(share: number, value: string): Promise<void> {
  const { page } = studio;
  await studio.type('paint-value-typed', value);
  await page.keyboard.press('Escape');
  await studio.leaveControls();
  await page.keyboard.press('3');
  const [top, foot] = [await studio.pixelOf([0.8 * share, 0.5, 0.15]), await studio.pixelOf([0.8 * share, 0.3, 0.15])];
  await studio.step(() => studio.drag(top, foot));
}

describe('a stroke', () => {
  it('of 0 over 1 everywhere leaves the rest of the body at 1', async () => {
    await paint(-0.8, '0');
    await expect.poll(async () => mean(await amplitudes(-0.85, -0.75))).toBeLessThan(0.35);
    expect(Math.min(...(await amplitudes(0, 1))), 'the other half').toBeGreaterThan(0.98);
    expect(await studio.value('body.bar.director.pull.amplitude')).toMatchObject({ from: 1, to: 1 });
  });

  it('has a soft edge that can be seen', async () => {
    const between = (await amplitudes(-1, 0)).filter((value) => value > 0.2 && value < 0.8);
    expect(between.length).toBeGreaterThan(5);
  });

  it('and another keep every value within what was painted', async () => {
    await paint(0.1, '0.5');
    await expect.poll(async () => mean(await amplitudes(0.05, 0.15))).toBeLessThan(0.8);
    const all = await amplitudes(-1, 1);
    expect(Math.min(...all)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...all)).toBeLessThanOrEqual(1);
    expect(Math.min(...(await amplitudes(0.7, 1)))).toBeGreaterThan(0.9);
  });

  it('fills the whole between paint where that is chosen, and is shown as such', async () => {
    const { page } = studio;
    expect(await page.getByRole('radio', { name: 'As it was' }).getAttribute('aria-checked')).toBe('true');
    await studio.step(() => page.getByRole('radio', { name: 'Filled' }).click());
    await expect.poll(async () => mean(await amplitudes(0.7, 1)), { message: 'nothing holds the end at 1 any more' }).toBeLessThan(0.8);
    expect(Math.max(...(await amplitudes(-1, 1))), 'within what was painted').toBeLessThanOrEqual(0.5 + 1e-6);
    await studio.step(() => page.getByRole('radio', { name: 'As it was' }).click());
    await expect.poll(async () => mean(await amplitudes(0.7, 1))).toBeGreaterThan(0.9);
  });

  it('of 0 is no hole in a dark stage', async () => {
    const eyes = await Eyes.of(studio.page);
    await studio.settle();
    const spot = await studio.pixelOf([-0.64, 0.4, 0.15]);
    const [r, g, b] = await eyes.around(spot.x, spot.y, 3);
    expect((r + g + b) / 3).toBeGreaterThan(80);
    expect(studio.complaints).toEqual([]);
  });
});
