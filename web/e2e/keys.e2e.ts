/** The Keys workspace with mouse and keys: a falling ball is stopped at its contact, keyed, squashed by hand, told where to fly, and obeys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Spot, Studio } from './studio';

/** A ball that falls on the ground. */
const SCENE = `sinew = 1
[scene]
frames = [1, 48]
[[body]]
name = "ball"
skin = { model = "ball", radius = 0.25, vertices = 1500 }
at = [-0.7, 1.1, 0.0]
material = { preset = "rubber", young_pa = 6.0e4, damping = "medium" }
flesh = { kind = "tets", vertices = 300 }
solver = { kind = "fem" }
[[body]]
name = "other"
skin = { model = "ball", radius = 0.25, vertices = 600 }
at = [1.6, 0.3, 0.0]
flesh = { kind = "tets", vertices = 120 }
[[obstacle]]
name = "ground"
shape = "plane"
[camera]
eye = [0.3, 0.9, 4.2]
look_at = [0.3, 0.6, 0.0]
`;
/** The ball lies deepest about here. */
const CONTACT = 12;
const SHAPE = 'body.ball.director.shape';
const PATH = 'body.ball.director.path';

let studio: Studio;
/** The ball's number on stage. */
let ball = 0;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
  await studio.pause();
  await studio.page.keyboard.press('Alt+4');
  await studio.page.getByRole('complementary', { name: 'Key shapes' }).waitFor();
  ball = await studio.page.evaluate(() => window.sinew.session.scene!.bodies.findIndex(({ name }) => name === 'ball'));
  const { x, y } = await studio.middleOfBody(ball);
  await studio.page.mouse.click(x, y);
  await studio.page.waitForFunction(() => window.sinew.studio.bodyPath === 'body.ball');
});
afterAll(() => studio?.close());

const listed = (): Promise<number[]> => studio.page.locator('[data-shape-key]').evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.shapeKey)));
const isWhole = (): Promise<boolean> => studio.page.evaluate(() => {
  const { transport, scene } = window.sinew.session;
  return transport!.recorded_to >= scene!.last_frame && (transport!.stale_from === null || transport!.stale_from > scene!.last_frame);
});
/** Simulates the whole shot from its beginning, then stands. */
async function simulate(): Promise<void> {
  await studio.leaveControls();
  await studio.page.keyboard.press('Shift+R');
  await studio.page.waitForFunction(() => window.sinew.session.transport!.recorded_to < window.sinew.session.scene!.last_frame);
  await studio.play();
  await expect.poll(isWhole, { timeout: 120_000 }).toBe(true);
  await studio.pause();
}
async function at(frame: number): Promise<void> {
  await studio.page.evaluate((to) => window.sinew.session.send({ do: 'seek', frame: to }), frame);
  await expect.poll(() => studio.page.evaluate(() => window.sinew.session.pictured)).toBe(frame);
  await studio.settle();
}
/** How high and how wide the ghost of a key is. */
const size = (frame: number): Promise<[number, number]> => studio.page.evaluate((wanted) => {
  const key = window.sinew.own.keys.shown.find((each) => each.frame === wanted)!;
  const of = (axis: number): number => {
    const values = key.positions.filter((_, i) => i % 3 === axis);
    return Math.max(...values) - Math.min(...values);
  };
  return [of(1), of(0)];
}, frame);
/** Where the ghost of a key is on the page. */
const ghost = async (frame: number, up = 0): Promise<Spot> => studio.pixelOf(await studio.page.evaluate(([wanted, lift]) => {
  const { origin } = window.sinew.own.keys.shown.find((each) => each.frame === wanted)!;
  return [origin[0], origin[1] + lift!, origin[2]];
}, [frame, up]));
const middle = async (selector: string): Promise<Spot> => {
  const box = (await studio.page.locator(selector).boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};
const measured = (name: string): Promise<number | undefined> => studio.page.evaluate((wanted) => window.sinew.session.transport!.measures.find((each) => each.body === window.sinew.studio.body && each.name === wanted)?.value, name);

describe('the Keys workspace', () => {
  it('keys what the body looks like at its contact, in one step, and shows it where it was', async () => {
    await simulate();
    await at(CONTACT);
    expect(await listed()).toEqual([]);
    await studio.leaveControls();
    await studio.step(() => studio.page.keyboard.press('i'));
    await expect.poll(listed).toEqual([1, CONTACT]);
    expect((await studio.undos()).at(-1)).toBe(`key shape of ball at frame ${CONTACT}`);
    await expect.poll(() => studio.page.locator('[data-key-label]').count()).toBe(2);
    const [high, wide] = await size(CONTACT);
    expect(high).toBeLessThan(wide);
    const live = await studio.page.evaluate(() => window.sinew.viewport.body(window.sinew.studio.body)!.fleshNow!.origin[1]);
    expect(await studio.page.evaluate((frame) => window.sinew.own.keys.shown.find((key) => key.frame === frame)!.origin[1], CONTACT)).toBeCloseTo(live, 2);
  });

  it('squashes it by hand: one step a drag, volume kept, and Esc gives it back', async () => {
    await studio.page.locator(`[data-shape-key="${CONTACT}"] .row`).click();
    await studio.leaveControls();
    await studio.page.keyboard.press('4');
    const [high, wide] = await size(CONTACT);
    const from = await ghost(CONTACT);
    const { mouse } = studio.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move(from.x, from.y + 60, { steps: 6 });
    await expect.poll(() => studio.page.getByTestId('key-held').textContent()).toMatch(/^Y × 0\.8/);
    await expect.poll(async () => (await size(CONTACT))[0]).toBeLessThan(0.9 * high);
    await studio.page.keyboard.press('Escape');
    await mouse.up();
    await expect.poll(async () => (await size(CONTACT))[0]).toBeCloseTo(high, 4);
    expect(await studio.steps()).toBe(1);
    await studio.step(() => studio.drag(from, { x: from.x, y: from.y + 60 }));
    await expect.poll(async () => (await size(CONTACT))[0]).toBeLessThan(0.9 * high);
    expect((await size(CONTACT))[1]).toBeGreaterThan(1.04 * wide);
    expect((await studio.undos()).at(-1)).toBe(`scale key ${CONTACT} of ball`);
    expect(String(await studio.value(`${SHAPE}.keys[1].asset`))).toMatch(/^assets\/key-[0-9a-f]+\.npz$/);
  });

  it('has Delete remove the key that was just made, not the one chosen before', async () => {
    const { keyboard } = studio.page;
    const before = await studio.steps();
    for (const made of ['Shift+I', 'Shift+D']) {
      await studio.page.locator(`[data-shape-key="${CONTACT}"] .row`).click();
      await at(CONTACT + 6);
      await studio.leaveControls();
      await studio.step(() => keyboard.press(made));
      await expect.poll(listed).toEqual([1, CONTACT, CONTACT + 6]);
      expect(await studio.page.locator('[data-shape-key].sel').getAttribute('data-shape-key'), made).toBe(String(CONTACT + 6));
      await studio.step(() => keyboard.press('Delete'));
      await expect.poll(listed).toEqual([1, CONTACT]);
    }
    for (let left = before + 4; left > before; left--) {
      await keyboard.press('Control+z');
      await expect.poll(() => studio.steps()).toBe(left - 1);
    }
    await studio.page.locator(`[data-shape-key="${CONTACT}"] .row`).click();
    await at(CONTACT);
    await studio.leaveControls();
  });

  it('pulls a place elastically, and brings a boxed part back to rest', async () => {
    await studio.page.keyboard.press('1');
    const [high] = await size(CONTACT);
    const top = await ghost(CONTACT, 0.5 * high - 0.02);
    await studio.step(() => studio.drag(top, { x: top.x, y: top.y - 40 }));
    expect((await size(CONTACT))[0]).toBeGreaterThan(high + 0.03);
    await studio.page.keyboard.press('3');
    const ball = await ghost(CONTACT);
    await studio.drag({ x: ball.x - 130, y: ball.y - 130 }, { x: ball.x + 130, y: ball.y - 5 });
    await expect.poll(() => studio.page.getByTestId('key-part').textContent()).toMatch(/^\d+ points$/);
    await studio.step(() => studio.page.locator('[data-action="key-reset"]').click());
    await expect.poll(async () => (await studio.undos()).at(-1)).toBe(`reset key ${CONTACT} of ball`);
    for (let n = 0; n < 2; n++) {
      const before = await studio.steps();
      await studio.page.keyboard.press('Control+z');
      await expect.poll(() => studio.steps()).toBe(before - 1);
    }
    await expect.poll(async () => (await size(CONTACT))[0]).toBeCloseTo(high, 4);
  });

  it('refuses a shape that is inside out by name, and loses nothing', async () => {
    const before = await size(CONTACT);
    await studio.page.evaluate((frame) => {
      const { session } = window.sinew;
      session.send({ do: 'sculpt', body: window.sinew.studio.body, director: 'shape', frame, edit: { do: 'nudge', at: [0, 0.25, 0], by: [0, -2, 0], radius: 0.2 } });
      session.send({ do: 'sculpt_end', keep: true });
    }, CONTACT);
    await expect.poll(() => studio.page.evaluate(() => window.sinew.session.refused)).toMatch(/inside out/);
    expect(await size(CONTACT)).toEqual(before);
    expect(await studio.steps()).toBe(2);
  });

  it('draws where it flies from there, with a tick for every frame, and it obeys', async () => {
    await studio.leaveControls();
    await studio.page.keyboard.press('7');
    const from = await studio.middleOfBody(ball);
    const { mouse } = studio.page;
    await studio.step(async () => {
      await mouse.move(from.x, from.y);
      await mouse.down();
      for (let i = 1; i <= 20; i++) await mouse.move(from.x + 18 * i, from.y - 200 * Math.sin((Math.PI * i) / 24), { steps: 2 });
      await mouse.up();
    });
    await studio.becomes(`${PATH}.kind`, 'path');
    await studio.page.locator('[data-path-point="48"]').waitFor({ state: 'attached' });
    expect(await studio.page.locator('.tick').count()).toBe(48 - CONTACT + 1);
    await simulate();
    await at(40);
    expect(await measured('distance_from_path')).toBeLessThan(0.02);
    const height = await studio.page.evaluate(() => window.sinew.viewport.body(window.sinew.studio.body)!.fleshNow!.origin[1]);
    expect(height, 'it flies').toBeGreaterThan(0.6);
    await expect.poll(() => studio.page.getByTestId(`residual-${CONTACT}`).textContent()).toMatch(/^\d+\.\d %$/);
  });

  it('moves points and velocities of the path in the view', async () => {
    const frame = await studio.page.locator('[data-path-point]').evaluateAll((points) => Number((points[3] as SVGElement).dataset.pathPoint));
    const point = await middle(`[data-path-point="${frame}"]`);
    const before = (await studio.value(`${PATH}.at[1]`)) as [number, number][];
    await studio.step(() => studio.drag(point, { x: point.x, y: point.y - 50 }));
    const after = (await studio.value(`${PATH}.at[1]`)) as [number, number][];
    const value = (keys: [number, number][]): number => keys.find(([each]) => each === frame)![1];
    expect(value(after)).toBeGreaterThan(value(before) + 0.1);
    await expect.poll(() => studio.page.getByTestId('path-speed').textContent()).toMatch(/^frame \d+ · \d+\.\d\d m\/s$/);
    const handle = await middle('[data-handle="path-leave"]');
    await studio.step(() => studio.drag(handle, { x: handle.x + 40, y: handle.y - 30 }));
    expect(JSON.stringify(await studio.value(`${PATH}.at[0]`))).toContain('leave');
  });

  it('lets go of a point of the path when it is undone, when something else is chosen, and beside everything', async () => {
    const { page } = studio;
    const speed = page.getByTestId('path-speed');
    const frame = await page.locator('[data-path-point]').evaluateAll((points) => Number((points[2] as SVGElement).dataset.pathPoint));
    const chosen = async (): Promise<void> => {
      const point = await middle(`[data-path-point="${frame}"]`);
      await page.mouse.click(point.x, point.y);
      await expect.poll(() => speed.textContent()).toContain(`frame ${frame} ·`);
      expect(await page.locator('[data-handle]').count()).toBe(2);
    };
    const letGo = async (why: string): Promise<void> => {
      await expect.poll(() => speed.count(), { message: why }).toBe(0);
      expect(await page.locator('[data-handle]').count(), why).toBe(0);
    };
    await page.keyboard.press('Escape');
    await letGo('Esc');
    const point = await middle(`[data-path-point="${frame}"]`);
    const steps = await studio.steps();
    await studio.step(() => studio.drag(point, { x: point.x + 20, y: point.y - 20 }));
    await expect.poll(() => speed.textContent()).toContain(`frame ${frame} ·`);
    const handle = await middle('[data-handle="path-leave"]');
    await studio.step(() => studio.drag(handle, { x: handle.x + 20, y: handle.y }));
    await page.keyboard.press('Control+z');
    await expect.poll(() => studio.steps()).toBe(steps + 1);
    expect(await speed.count(), 'what was done with it is undone, it is still worked on').toBe(1);
    await page.keyboard.press('Control+z');
    await letGo('undo');
    await chosen();
    await page.locator(`[data-shape-key="${CONTACT}"] .row`).click();
    await letGo('a key is chosen');
    await studio.leaveControls();
    await chosen();
    const stage = (await page.locator('main').boundingBox())!;
    await page.mouse.click(stage.x + stage.width - 140, stage.y + stage.height - 120);
    await letGo('a click beside everything');
  });

  it('keys the strength of the path and shows its curve in the dock', async () => {
    await studio.page.locator('[data-action="path-strength"]').click();
    await studio.page.locator(`[data-track="${PATH}.strength"]`).waitFor();
    await studio.page.keyboard.press('Alt+d');
  });

  it('moves, copies and deletes keys', async () => {
    await studio.page.locator(`[data-shape-key="${CONTACT}"] .row`).click();
    await studio.step(() => studio.type(`${SHAPE}.keys[1].frame`, String(CONTACT + 2)));
    await expect.poll(listed).toEqual([1, CONTACT + 2]);
    await at(30);
    await studio.leaveControls();
    await studio.step(() => studio.page.keyboard.press('Shift+D'));
    await expect.poll(listed).toEqual([1, CONTACT + 2, 30]);
    await studio.step(() => studio.page.keyboard.press('x'));
    await expect.poll(listed).toEqual([1, CONTACT + 2]);
  });

  it('copies keys and path to another body, mirrored', async () => {
    await studio.page.locator(`[data-shape-key="${CONTACT + 2}"] .row`).click({ button: 'right' });
    await studio.step(() => studio.page.getByRole('menuitem', { name: 'Copy track mirrored to other' }).click());
    await expect.poll(() => studio.value('body.other.director.shape.keys[1].mirror')).toBe('x');
    await studio.page.locator('[data-path="path"]').click({ button: 'right' });
    await studio.step(() => studio.page.getByRole('menuitem', { name: 'Copy path mirrored to other' }).click());
    await expect.poll(async () => ((await studio.value('body.other.director.path.at[0]')) as [number, number][])[0]![1]).toBeGreaterThan(1);
  });

  it('keys contacts as a job, which can be cancelled', async () => {
    await studio.page.locator('[data-action="auto-key"]').click();
    await studio.page.locator('[data-action="cancel-keys"]').click();
    await expect.poll(() => studio.page.evaluate(() => window.sinew.session.jobs.some((job) => job.failed === 'it was stopped'))).toBe(true);
    await studio.page.getByRole('button', { name: 'Put away' }).first().click();
    expect(await studio.faults()).toEqual([]);
    expect(studio.complaints).toEqual([]);
  });
});
