/** Tools of the Stage workspace: select, handles that scale, snapping; and what the timeline says of frames that are out of date. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Eyes } from './eyes';
import { barOverGround } from './scenes';
import { type Spot, Studio } from './studio';

const SCENE = barOverGround(`
[[obstacle]]
name = "box"
shape = "box"
size = [0.2, 0.2, 0.2]
at = [0.6, 0.4, 0.3]

[camera]
eye = [1.3, 1.1, 2.6]
look_at = [0.2, 0.5, 0.0]
`);

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
  await studio.pause();
});
afterAll(() => studio?.close());

const selection = () => studio.page.evaluate(() => window.sinew.studio.selection);

/** Three quarters of the way along a handle. */
async function gripOf(handle: string): Promise<Spot> {
  const canvas = (await studio.page.locator('main canvas').first().boundingBox())!;
  const line = studio.page.locator(`[data-handle=${handle}]`);
  const [x1, y1, x2, y2] = await Promise.all(['x1', 'y1', 'x2', 'y2'].map(async (name) => Number(await line.getAttribute(name))));
  return { x: canvas.x + 0.25 * x1! + 0.75 * x2!, y: canvas.y + 0.25 * y1! + 0.75 * y2! };
}

describe('the select tool', () => {
  it('selects what is clicked, drags nothing, and beside everything selects the scene', async () => {
    const { page } = studio;
    await studio.leaveControls();
    await page.keyboard.press('v');
    expect(await page.getByRole('button', { name: /^Select/ }).first().getAttribute('aria-pressed')).toBe('true');
    const [bar, box] = [await studio.middleOfBody(), await studio.pixelOf([0.6, 0.4, 0.3])];
    await page.mouse.click(box.x, box.y);
    await expect.poll(selection).toBe('obstacle.box');
    const before = await studio.steps();
    await studio.drag(bar, { x: bar.x + 60, y: bar.y - 40 });
    await expect.poll(selection).toBe('body.bar');
    expect(await studio.steps()).toBe(before);
    expect((await studio.value('body.bar.event')) ?? []).toEqual([]);
    const stage = (await page.locator('main').boundingBox())!;
    await page.mouse.click(stage.x + 120, stage.y + stage.height - 90);
    await expect.poll(selection).toBeNull();
  });
});

describe('handles that scale', () => {
  it('scale the body along one axis, and evenly from the middle; each is one step that can be undone', async () => {
    const { page } = studio;
    await studio.select('body.bar');
    await studio.toFirst();
    await page.keyboard.press('Shift+S');
    await page.locator('[data-handle=scale-Y]').waitFor();
    const from = await gripOf('scale-Y');
    const middle = await studio.middleOfBody();
    const out = { x: middle.x + 2 * (from.x - middle.x), y: middle.y + 2 * (from.y - middle.y) };
    await studio.step(() => studio.drag(from, out));
    const scaled = (await studio.value('body.bar.scale')) as number[];
    expect(scaled[0]).toBe(1);
    expect(scaled[1]).toBeGreaterThan(1.5);
    expect(scaled[2]).toBe(1);
    await studio.built();
    await page.keyboard.press('Control+z');
    await expect.poll(() => studio.value('body.bar.scale')).not.toEqual(scaled);
    await studio.built();
    await studio.toFirst();
    const grip = (await page.locator('[data-handle=scale-free]').boundingBox())!;
    const start = { x: grip.x + grip.width / 2 + 8, y: grip.y + grip.height / 2 };
    await studio.step(() => studio.drag(start, { x: start.x + 8, y: start.y }));
    await expect.poll(() => studio.value('body.bar.scale')).toBeGreaterThan(1.2);
    await page.keyboard.press('Control+z');
    await studio.built();
  });

  it('are not there for what has no scale', async () => {
    await studio.select('obstacle.box');
    await expect.poll(() => studio.page.locator('[data-handle^=scale]').count()).toBe(0);
    await studio.leaveControls();
    await studio.page.keyboard.press('Shift+S');
  });
});

describe('snapping', () => {
  it('puts what is moved onto the grid while the magnet is on, and Ctrl lets it off', async () => {
    const { page } = studio;
    await studio.select('obstacle.box');
    await studio.leaveControls();
    await page.keyboard.press('Shift+G');
    const magnet = page.locator('[data-action=snap]');
    await magnet.click();
    expect(await magnet.getAttribute('aria-pressed')).toBe('true');
    await studio.leaveControls();
    const onGrid = (value: number): number => Math.abs(value * 10 - Math.round(value * 10));
    await studio.step(async () => {
      const grip = await gripOf('move-X');
      await studio.drag(grip, { x: grip.x + 47, y: grip.y + 3 });
    });
    expect(onGrid(((await studio.value('obstacle.box.at')) as number[])[0]!)).toBeLessThan(1e-6);
    await studio.built();
    await studio.step(async () => {
      const grip = await gripOf('move-X');
      await page.keyboard.down('Control');
      await studio.drag(grip, { x: grip.x - 31, y: grip.y + 2 });
      await page.keyboard.up('Control');
    });
    expect(onGrid(((await studio.value('obstacle.box.at')) as number[])[0]!)).toBeGreaterThan(1e-3);
    await page.keyboard.press('Shift+M');
    expect(await magnet.getAttribute('aria-pressed')).toBe('false');
    await studio.built();
  });
});

describe('the timeline', () => {
  it('shows frames that an edit made stale in ochre', async () => {
    const { page } = studio;
    const eyes = await Eyes.of(page);
    await studio.play();
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to >= 24);
    await studio.pause();
    // An edit at an early frame: the later ones are of the scene as it was.
    await page.locator('[data-field="frame"]').click();
    await page.keyboard.type('8');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.sinew.session.frame === 8);
    await studio.select('obstacle.box');
    await studio.type('obstacle.box.at[0]', '1.3');
    await page.waitForFunction(() => window.sinew.session.transport!.stale_from !== null);
    await studio.built();
    const box = (await page.getByRole('slider', { name: 'Timeline' }).boundingBox())!;
    const stale = await page.evaluate(() => {
      const { stale_from, recorded_to } = window.sinew.session.transport!;
      const { first_frame, last_frame } = window.sinew.session.scene!;
      return ((stale_from! + recorded_to) / 2 - first_frame) / (last_frame - first_frame);
    });
    const at = { x: box.x + 16 + stale * (box.width - 32), y: box.y + 22 };
    // Ochre: more red than green, and both far more than blue.
    await expect.poll(async () => {
      const [r, g, b] = await eyes.around(at.x, at.y, 0);
      return r! > g! && g! > 1.4 * b! && r! > 100;
    }).toBe(true);
    expect(studio.complaints).toEqual([]);
  });
});
