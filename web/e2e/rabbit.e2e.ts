/**
 * An animator's story: picks places on a rabbit, twists its head, bends its ear, shapes two curves, sees ghosts of what comes next while
 * dragging, keeps the take, goes back to frame 40 and changes the bend.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { farthest, type Spot, Studio } from './studio';

const SCENE = `sinew = 1
[scene]
frames = [1, 60]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "rabbit"
skin = { model = "rabbit", vertices = 6000 }
material = { preset = "rubber", young_pa = 5.0e4, damping = "heavy" }
flesh = { kind = "tets", vertices = 1000 }
solver = { kind = "fem" }
sets = { feet = { box = { min = [-1.0, -1.0, -1.0], max = [1.0, 0.16, 1.0] } } }
[[body.director]]
name = "sit"
kind = "pin"
on = "feet"
[camera]
eye = [1.75, 0.95, 1.55]
look_at = [0.0, 0.66, 0.0]
`;
const [TWIST, BEND] = ['body.rabbit.director.twist', 'body.rabbit.director.bend'];
/** On the side of the neck and half way up the ear that is nearer to the eye, at rest. */
const [NECK, EAR]: [number[], number[]] = [[0.2, 0.6, 0.12], [0.07, 1.06, 0.15]];

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
  await studio.pause();
  await studio.toFirst();
  await studio.page.keyboard.press('Alt+3');
  await studio.page.getByRole('complementary', { name: 'Metaphors' }).waitFor();
});
afterAll(() => studio?.close());

const names = (): Promise<string[]> => studio.page.locator('[data-metaphor]').evaluateAll((rows) => rows.map((each) => (each as HTMLElement).dataset.metaphor!));
const row = (name: string) => studio.page.locator(`[data-metaphor="${name}"] .row`);
const most = (director: string, name: string): Promise<number> =>
  studio.page.evaluate(([of, what]) => Math.max(0, ...window.sinew.session.measured.series(0, of!, what!).map(([, value]) => Math.abs(value))), [director, name]);
/** Where the flesh is at a frame. */
async function fleshAt(frame: number): Promise<number[]> {
  await studio.page.evaluate((to) => window.sinew.session.send({ do: 'seek', frame: to }), frame);
  await studio.page.waitForFunction((to) => window.sinew.session.transport!.shown === to && window.sinew.session.pictured === to, frame);
  await studio.settle();
  return studio.page.evaluate(() => [...window.sinew.viewport.body(0)!.fleshNow!.positions]);
}
/** Plays until the whole shot is simulated by the scene as it is. */
async function playThrough(): Promise<void> {
  const isWhole = (): Promise<boolean> => studio.page.evaluate(() => {
    const { transport, scene } = window.sinew.session;
    return transport!.recorded_to >= scene!.last_frame && (transport!.stale_from === null || transport!.stale_from > scene!.last_frame);
  });
  await studio.built();
  do {
    await studio.play();
    await expect.poll(isWhole, { timeout: 240_000 }).toBe(true);
    await studio.pause();
  } while (!(await isWhole()));
}
async function keyFrom(path: string, number: number, value: string): Promise<void> {
  const { page } = studio;
  await page.locator(`[data-track="${path}.newton"]`).click();
  const plot = page.getByRole('listbox', { name: /^Points of/ });
  await plot.focus();
  for (let i = 0; i <= number; i++) await page.keyboard.press('ArrowRight');
  await studio.step(() => studio.type('key-value', value));
}

describe('an animator with a rabbit', () => {
  it('twists its head and bends its ear where she clicks', async () => {
    const { page } = studio;
    await page.keyboard.press('v');
    const neck = await studio.pixelOf(NECK);
    await page.mouse.click(neck.x, neck.y);
    await page.getByRole('button', { name: 'Add a metaphor here' }).click();
    await studio.step(() => page.getByRole('menuitem', { name: 'Twist' }).click());
    await expect.poll(names).toEqual(['twist']);
    await studio.leaveControls();
    await page.keyboard.press('1');
    const ear = await studio.pixelOf(EAR);
    await studio.step(() => page.mouse.click(ear.x, ear.y));
    await expect.poll(names).toEqual(['twist', 'bend']);
    const { act, at } = (await studio.value(BEND)) as { act: { bend: { radius: number } }; at: number[] };
    expect(at[1], 'on the ear').toBeGreaterThan(0.9);
    expect(act.bend.radius, 'as wide as an ear').toBeLessThan(0.16);
  });

  it('shapes two curves, and lets one swing', async () => {
    const { page } = studio;
    await row('bend').click();
    await page.getByRole('button', { name: 'Show curve' }).click();
    const peak = async (path: string): Promise<number> => Math.max(...((await studio.value(`${path}.newton.keys`)) as number[][]).map((key) => key[1]!));
    const [bend, twist] = [await peak(BEND), await peak(TWIST)];
    await keyFrom(BEND, 1, (1.4 * bend).toFixed(2));
    expect(await peak(BEND)).toBeCloseTo(1.4 * bend, 1);
    await row('twist').click();
    await keyFrom(TWIST, 1, (1.3 * twist).toFixed(2));
    await row('bend').click();
    await page.locator(`[data-track="${BEND}.newton"]`).click();
    await studio.step(() => studio.field('curve-motion').selectOption('wiggly'));
    await expect.poll(() => studio.value(`${BEND}.newton.wiggle.damping`)).toBe(0.2);
    await studio.step(() => studio.type('curve-period', '14'));
    await studio.becomes(`${BEND}.newton.wiggle.period`, 14);
    await studio.step(() => studio.field('curve-motion').selectOption('plain'));
    await expect.poll(() => studio.value(`${BEND}.newton.wiggle`)).toBeUndefined();
    await studio.step(() => studio.field('curve-outside').selectOption('cycle'));
    await expect.poll(async () => ((await studio.value(`${BEND}.newton.outside`)) as { cycle: number }).cycle).toBeGreaterThan(10);
    await studio.step(() => studio.field('curve-outside').selectOption('zero'));
    await studio.becomes(`${BEND}.newton.outside`, 'zero');
  });

  it('sees ghosts while she drags', async () => {
    const { page } = studio;
    await studio.toFirst();
    await studio.leaveControls();
    await page.keyboard.press('p');
    await page.waitForFunction(() => window.sinew.own.metaphors.ghosts.count > 0, null, { timeout: 150_000 });
    await page.waitForFunction(() => window.sinew.own.metaphors.ghosts.count === 6, null, { timeout: 150_000 });
    const was = await studio.lastGhost();
    await row('bend').click();
    const box = (await page.locator('[data-handle="widget-arm"]').boundingBox())!;
    const from: Spot = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 12, from.y + 40, { steps: 6 });
    await expect.poll(async () => farthest(await studio.lastGhost(), was), { message: 'ghosts of what the hand makes of it', timeout: 120_000 }).toBeGreaterThan(1e-4);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await studio.leaveControls();
    await page.keyboard.press('p');
    await page.waitForFunction(() => window.sinew.own.metaphors.ghosts.count === 0);
  });

  it('keeps the take, goes back to frame 40 and changes the bend; frames before stay', async () => {
    const { page } = studio;
    // A loop would begin again with the bend as it is then.
    await page.keyboard.press('l');
    await page.waitForFunction(() => !window.sinew.session.transport!.looping);
    await playThrough();
    expect(await most('twist', 'twist')).toBeGreaterThan(5);
    expect(await most('bend', 'bend')).toBeGreaterThan(5);
    await page.keyboard.press('Alt+1');
    await page.locator('[data-action=keep-take]').click();
    await page.getByRole('textbox', { name: 'Name of the take' }).fill('first');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.sinew.session.takes.names.some((take) => take.name === 'first'));
    await page.keyboard.press('Alt+3');
    const [early, late] = [await fleshAt(30), await fleshAt(60)];
    const middle = await fleshAt(40);
    await row('bend').click();
    await studio.step(() => studio.type(`${BEND}.act.bend.arm`, '0.09'));
    await studio.leaveControls();
    await playThrough();
    expect(farthest(await fleshAt(30), early), 'frames before 40 are the same').toBe(0);
    expect(farthest(await fleshAt(40), middle), 'and so is 40').toBe(0);
    const now = await fleshAt(60);
    expect(farthest(now, late), 'frames after it are not').toBeGreaterThan(1e-4);
    await page.keyboard.press('Alt+1');
    await page.locator('[data-take=first]').click();
    await page.waitForFunction(() => window.sinew.session.takes.shown === 'first' && !window.sinew.session.takes.instead);
    expect(studio.complaints).toEqual([]);
  });
});
