/** A finished take is grabbed at a frame with the mouse: frames near it follow, one step of the history, and what it costs is told. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Spot, Studio } from './studio';

/** A soft bar that is thrown. */
const SCENE = `sinew = 1
[scene]
frames = [1, 40]
[[body]]
name = "bar"
skin = { model = "bar", size = [0.9, 0.25, 0.25], vertices = 600 }
at = [0.0, 1.0, 0.0]
velocity = [0.0, 3.0, 0.0]
material = { young_pa = 4.0e4, damping = "light" }
flesh = { kind = "tets", vertices = 120 }
solver = { kind = "fem" }
[[obstacle]]
name = "ground"
shape = "plane"
[camera]
eye = [0.0, 1.2, 3.6]
look_at = [0.0, 1.2, 0.0]
`;
const FRAME = 16;
const TAKE = 'body.bar.director.take';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
  await studio.pause();
  await studio.page.keyboard.press('Alt+4');
  await studio.page.getByRole('complementary', { name: 'Key shapes' }).waitFor();
});
afterAll(() => studio?.close());

const isWhole = (): Promise<boolean> => studio.page.evaluate(() => {
  const { transport, scene } = window.sinew.session;
  return transport!.recorded_to >= scene!.last_frame && (transport!.stale_from === null || transport!.stale_from > scene!.last_frame);
});
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
/** The highest point of the body that is seen. */
const top = (): Promise<number> => studio.page.evaluate(() => {
  const { origin, positions } = window.sinew.viewport.body(0)!.fleshNow!;
  return origin[1] + Math.max(...positions.filter((_, i) => i % 3 === 1));
});
async function topAt(frame: number): Promise<number> {
  await at(frame);
  return top();
}
/** Where the right end of the body is on the page. */
const rightEnd = async (): Promise<Spot> => studio.pixelOf(await studio.page.evaluate(() => {
  const { origin, positions } = window.sinew.viewport.body(0)!.fleshNow!;
  let best = 0;
  for (let i = 0; i < positions.length; i += 3) if (positions[i]! > positions[best]!) best = i;
  return [origin[0] + positions[best]! - 0.06, origin[1], origin[2]] as [number, number, number];
}));
const listed = (): Promise<number[]> => studio.page.locator('[data-shape-key]').evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.shapeKey)));

describe('an edited take', () => {
  const free = new Map<number, number>();

  it('is refused where no take is shown, and offered where one is', async () => {
    await simulate();
    for (const frame of [4, 12, FRAME, 20, 36]) free.set(frame, await topAt(frame));
    await at(FRAME);
    expect(await studio.page.locator('[data-action="grab-take"]').isDisabled()).toBe(true);
    await studio.leaveControls();
    await studio.page.keyboard.press('8');
    const { x, y } = await rightEnd();
    await studio.drag({ x, y }, { x, y: y - 40 });
    expect(await studio.page.evaluate(() => window.sinew.session.refused)).toMatch(/Show a take/);
    expect(await studio.steps()).toBe(0);
    await studio.page.evaluate(() => window.sinew.session.keepTake('flight'));
    await studio.page.waitForFunction(() => window.sinew.session.takes.names.some(({ name }) => name === 'flight'));
    await studio.page.evaluate(() => window.sinew.session.showTake('flight', true));
    await studio.page.waitForFunction(() => window.sinew.session.takes.shown === 'flight' && window.sinew.session.takes.instead);
  });

  it('is dragged at a frame in one step; Esc gives it back', async () => {
    await at(FRAME);
    await studio.page.locator('[data-field="take-width"]').first().waitFor();
    await studio.leaveControls();
    const from = await rightEnd();
    const { mouse } = studio.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move(from.x, from.y - 70, { steps: 6 });
    await expect.poll(() => studio.page.getByTestId('key-held').textContent()).toMatch(/± 12 frames/);
    await expect.poll(() => studio.page.evaluate(() => window.sinew.own.keys.shown.length)).toBe(1);
    await studio.page.keyboard.press('Escape');
    await mouse.up();
    await expect.poll(() => studio.page.evaluate(() => window.sinew.own.keys.shown.length)).toBe(0);
    expect(await studio.steps()).toBe(0);
    await studio.step(() => studio.drag(from, { x: from.x, y: from.y - 70 }));
    expect((await studio.undos()).at(-1)).toBe(`edit the take of bar at frame ${FRAME}`);
    await expect.poll(listed).toEqual([FRAME]);
    expect(await studio.page.evaluate((path) => window.sinew.studio.selection === path, TAKE)).toBe(true);
    // The take is beside the live body now, to compare with.
    await studio.page.waitForFunction(() => window.sinew.session.takes.shown === 'flight' && !window.sinew.session.takes.instead);
  });

  it('frames near it follow, others stay, and what it costs is told', async () => {
    await simulate();
    expect(await topAt(4)).toBeCloseTo(free.get(4)!, 5);
    expect(await topAt(FRAME)).toBeGreaterThan(free.get(FRAME)! + 0.08);
    expect(Math.abs((await topAt(20)) - free.get(20)!)).toBeGreaterThan(0.005);
    expect(await topAt(36)).toBeCloseTo(free.get(36)!, 1);
    await at(FRAME);
    const told = studio.page.getByTestId(`residual-${FRAME}`);
    await expect.poll(() => told.textContent()).toMatch(/^\d+\.\d %$/);
    expect(parseFloat((await told.textContent())!)).toBeLessThan(2);
    const fact = (id: string): Promise<string | null> => studio.page.locator(`[data-testid="${id}"]`).first().textContent();
    await expect.poll(() => fact('take-unbalanced')).toMatch(/^\d+\.\d\d g$/);
    const shot = process.env['SINEW_SHOT'];
    if (shot) await studio.page.screenshot({ path: shot });
  });

  it('goes with one undo', async () => {
    await studio.leaveControls();
    await studio.page.keyboard.press('Control+z');
    await expect.poll(listed).toEqual([]);
  });
});
