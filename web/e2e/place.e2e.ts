/** Workflow 4: things are put where they belong with handles in the view, or with keys and numbers as in Blender. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Eyes } from './eyes';
import { barOverGround } from './scenes';
import { Studio } from './studio';

const SCENE = barOverGround(`
[[obstacle]]
name = "box"
shape = "box"
size = [0.2, 0.2, 0.2]
at = [0.6, 0.4, 0.3]

[[obstacle]]
name = "slope"
shape = "plane"
at = [0.0, -0.6, 0.0]
turn = [0, 0, 30]

[camera]
eye = [1.3, 1.1, 2.6]
look_at = [0.2, 0.5, 0.0]
`);

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
});
afterAll(async () => {
  await studio?.close();
});

/** How far two colours are apart. */
const apart = (a: number[], b: number[]): number => a.reduce((sum, part, i) => sum + Math.abs(part - b[i]!), 0);
const becomes = (path: string, value: unknown) => studio.becomes(path, value);
const built = () => studio.built();

describe('handles', () => {
  it('moves and turns things with handles and with keys, each gesture one step, seen at once', async () => {
    const { page } = studio;
    const eyes = await Eyes.of(page);
    const steps = () => studio.steps();
    await studio.pause();
    await studio.select('obstacle.box');
    await studio.leaveControls();
    await page.keyboard.press('Shift+G');
    await studio.settle();
    const canvas = (await page.locator('main canvas').first().boundingBox())!;
    const pixelOf = (at: number[]) => studio.pixelOf(at);
    const gripOf = async (handle: string) => {
      const line = page.locator(`[data-handle=${handle}]`);
      const ends = await Promise.all(['x1', 'y1', 'x2', 'y2'].map(async (name) => Number(await line.getAttribute(name))));
      return { x: canvas.x + 0.25 * ends[0]! + 0.75 * ends[2]!, y: canvas.y + 0.25 * ends[1]! + 0.75 * ends[3]! };
    };
    // The green arrow lifts the box and nothing else; it is seen there before the server has heard of it.
    const before = await steps();
    const target = await pixelOf([0.6, 0.8, 0.3]);
    const free = await eyes.around(target.x, target.y, 3);
    const arrow = await gripOf('move-Y');
    const foot = await pixelOf([0.6, 0.4, 0.3]);
    await page.mouse.move(arrow.x, arrow.y);
    await page.mouse.down();
    await page.mouse.move(arrow.x, arrow.y + (target.y - foot.y), { steps: 6 });
    await expect.poll(() => page.getByTestId('gizmo').textContent()).toMatch(/^Y 0\.[34]/);
    expect(await studio.value('obstacle.box.at'), 'nothing is sent before it is let go').toEqual([0.6, 0.4, 0.3]);
    await expect.poll(async () => apart(await eyes.around(target.x, target.y, 3), free)).toBeGreaterThan(30);
    await page.mouse.up();
    await expect.poll(async () => ((await studio.value('obstacle.box.at')) as number[])[1]).toBeCloseTo(0.8, 1);
    expect(((await studio.value('obstacle.box.at')) as number[]).filter((_, i) => i !== 1)).toEqual([0.6, 0.3]);
    expect(await steps()).toBe(before + 1);
    await built();
    await expect.poll(async () => apart(await eyes.around(target.x, target.y, 3), free), { message: 'the stage has it there too' }).toBeGreaterThan(30);
    // Escape gives the old place back, on screen and in the scene.
    const put = await studio.value('obstacle.box.at');
    await page.mouse.move(target.x, target.y);
    await page.keyboard.press('g');
    await page.mouse.move(target.x + 120, target.y + 40, { steps: 4 });
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByTestId('gizmo').count()).toBe(0);
    await becomes('obstacle.box.at', put);
    // Typed numbers, an axis by its key, Enter; then a turn, ended by a click.
    await page.keyboard.press('g');
    await page.keyboard.type('x-.25');
    await page.keyboard.press('Enter');
    await expect.poll(async () => ((await studio.value('obstacle.box.at')) as number[])[0]).toBeCloseTo(0.35, 6);
    await built();
    await page.keyboard.press('r');
    await page.keyboard.type('y30');
    await page.mouse.click(target.x, target.y);
    await becomes('obstacle.box.turn', [0, 30, 0]);
    expect(await steps()).toBe(before + 3);
    await built();
    // A body, from another frame: it is put where it starts.
    const start = (await studio.value('body.bar.at')) as number[];
    await studio.select('body.bar');
    await studio.leaveControls();
    await page.keyboard.press('g');
    await page.keyboard.type('z0.5');
    await page.keyboard.press('Enter');
    await becomes('body.bar.at', [start[0], start[1], start[2]! + 0.5]);
    await built();
    await page.keyboard.press('Control+z');
    await becomes('body.bar.at', start);
    await built();
    // A click selects what it hits.
    const box = await pixelOf((await studio.value('obstacle.box.at')) as number[]);
    await page.mouse.click(box.x, box.y);
    await expect.poll(() => page.evaluate(() => window.sinew.studio.selection)).toBe('obstacle.box');
    await page.keyboard.press('q');
  });

  it('keys a keyed place at the frame where the hand puts it', async () => {
    const { page } = studio;
    await built();
    const first = await page.evaluate(() => window.sinew.session.scene!.first_frame);
    await studio.leaveControls();
    await studio.pause();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.waitForFunction((frame) => window.sinew.session.frame === frame, first);
    await studio.select('obstacle.box');
    await page.locator('[data-key="obstacle.box.at"]').click();
    await expect.poll(async () => JSON.stringify(await studio.value('obstacle.box.at[0]'))).toContain(`[[${first}`);
    await built();
    await studio.leaveControls();
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
    await page.waitForFunction((frame) => window.sinew.session.frame === frame, first + 4);
    const steps = await studio.steps();
    await page.keyboard.press('g');
    await page.keyboard.type('z1');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await studio.value('obstacle.box.at[2]')) as number[][]).toHaveLength(2);
    const keys = (await studio.value('obstacle.box.at[2]')) as number[][];
    expect(keys[1]![0]).toBe(first + 4);
    expect(keys[1]![1]! - keys[0]![1]!).toBeCloseTo(1, 6);
    expect(await studio.steps()).toBe(steps + 1);
  });
});

describe('what is no body', () => {
  it('shows a plane that is not the floor, which a click selects and a key deletes', async () => {
    const { page } = studio;
    const eyes = await Eyes.of(page);
    await built();
    await studio.leaveControls();
    await studio.pause();
    await page.keyboard.press('Shift+G');
    const on = await studio.pixelOf([0.7, -0.6 + 0.7 * Math.tan(Math.PI / 6), 0.2]);
    await page.mouse.click(on.x, on.y);
    await expect.poll(() => page.evaluate(() => window.sinew.studio.selection)).toBe('obstacle.slope');
    await page.keyboard.press('q');
    await page.mouse.move(4, 4);
    await studio.drawn();
    const sloped = await eyes.around(on.x, on.y, 6);
    await studio.step(() => page.keyboard.press('x'));
    await built();
    await expect.poll(async () => apart(await eyes.around(on.x, on.y, 6), sloped)).toBeGreaterThan(8);
    await page.keyboard.press('Control+z');
    await built();
    await expect.poll(async () => apart(await eyes.around(on.x, on.y, 6), sloped)).toBeLessThan(8);
  });

  it('moves the light by its handles, and the body is lit from there', async () => {
    const { page } = studio;
    const eyes = await Eyes.of(page);
    await studio.select('light');
    await studio.leaveControls();
    await page.keyboard.press('Shift+G');
    await page.getByTestId('lamp').waitFor();
    const side = await studio.middleOfBody();
    const bright = await eyes.around(side.x, side.y, 3);
    await studio.step(async () => {
      await page.keyboard.press('g');
      await page.keyboard.type('z-9');
      await page.keyboard.press('Enter');
    });
    const [, , z] = (await studio.value('light.from')) as number[];
    expect(z).toBeLessThan(-0.5);
    await page.keyboard.press('q');
    await expect.poll(async () => apart(await eyes.around(side.x, side.y, 3), bright), { message: 'its near side is dark now' }).toBeGreaterThan(30);
    await page.keyboard.press('Control+z');
    await becomes('light.from', [0.5, 1, 0.7]);
    await expect.poll(async () => apart(await eyes.around(side.x, side.y, 3), bright)).toBeLessThan(12);
  });
});

describe('stiffness', () => {
  it('is painted on a body without a muscle, and seen with its legend', async () => {
    const { page } = studio;
    await built();
    await studio.select('body.bar');
    await studio.leaveControls();
    await studio.pause();
    await page.keyboard.press('f');
    await page.keyboard.press('Alt+2');
    await page.locator('button[data-field=stiffness]').click();
    await studio.leaveControls();
    await page.keyboard.press('3');
    await studio.settle();
    const middle = await studio.pixelOf(await page.evaluate(() => window.sinew.viewport.body(0)!.box().centre.toArray()));
    await studio.step(async () => {
      await page.mouse.move(middle.x - 40, middle.y);
      await page.mouse.down();
      await page.mouse.move(middle.x + 40, middle.y, { steps: 8 });
      await page.mouse.up();
    });
    await expect.poll(async () => ((await studio.value('body.bar.material.fields.stiffness.paint')) as unknown[])?.length).toBe(1);
    expect(await studio.value('body.bar.material.fields.stiffness.paint[0].value')).toBe(10);
    await expect.poll(() => page.getByTestId('legend').textContent()).toMatch(/Stiffness.*×0\.01.*×100/);
    // Stiffer where the stroke is, as the server spread it.
    await expect.poll(() => page.evaluate(() => {
      const values = window.sinew.viewport.fields.valuesOf(0, 'stiffness')?.values;
      return values ? Math.max(...values) : 0;
    })).toBeGreaterThan(5);
    await page.keyboard.press('Control+z');
    await becomes('body.bar.material.fields', undefined);
    await page.keyboard.press('Alt+1');
    expect(studio.complaints).toEqual([]);
  });
});
