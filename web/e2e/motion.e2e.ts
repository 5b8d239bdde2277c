/** The Motion workspace: poses by keys, the plan by a button, around a ball that is in the way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Studio } from './studio';

const SCENE = `sinew = 1
[scene]
frames = [1, 30]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "bar"
skin = { model = "bar", size = [0.6, 0.2, 0.2] }
at = [-1.0, 1.0, 0.0]
flesh = { kind = "tets", vertices = 150 }
solver = { kind = "fem" }
[[obstacle]]
name = "ball"
shape = "sphere"
radius = 0.35
at = [0.0, 1.0, 0.0]
`;

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
});
afterAll(async () => {
  await studio?.close();
});

/** Where the body's middle is, in the world. */
const middle = (): Promise<number[]> => studio.page.evaluate(() => window.sinew.viewport.body(0)!.box().centre.toArray());

describe('the Motion workspace', () => {
  it('keys what is seen, and says that a plan is not solved', async () => {
    const { page } = studio;
    await page.waitForFunction(() => (window.sinew.session.transport?.recorded_to ?? 0) >= 24);
    await studio.pause();
    await page.keyboard.press('Alt+5');
    await page.getByText('None yet. Pull or move').waitFor();
    await page.evaluate(() => window.sinew.session.send({ do: 'seek', frame: 24 }));
    await studio.settle();
    await studio.leaveControls();
    await studio.step(() => page.keyboard.press('i'));
    expect(await page.locator('[data-pose]').count()).toBe(2);
    expect(await studio.value('body[0].director[0].keys[1].asset')).toMatch(/^assets\/key-/);
    await page.getByText('this plan is not solved').first().waitFor();
  });

  it('plans the motion around what is in the way, as one step of the history', async () => {
    const { page } = studio;
    await page.evaluate(() => window.sinew.session.edit({ do: 'set', path: 'body[0].director[0].keys[1].at', value: [1, 1, 0] }));
    await studio.built();
    await studio.step(() => page.locator('#plan-motion, [data-action="plan-motion"]').first().click());
    expect(await studio.value('body[0].director[0].plan')).toMatch(/^assets\/plan-/);
    await studio.built();
    await page.evaluate(() => window.sinew.session.send({ do: 'restart' }));
    await studio.play();
    await page.waitForFunction(() => (window.sinew.session.transport?.recorded_to ?? 0) >= 24);
    await studio.pause();
    const places: number[][] = [];
    for (const frame of [6, 12, 18, 24]) {
      await page.evaluate((to) => window.sinew.session.send({ do: 'seek', frame: to }), frame);
      await studio.settle();
      places.push(await middle());
    }
    const last = places.at(-1)!;
    expect(Math.hypot(last[0]! - 1, last[1]! - 1, last[2]!)).toBeLessThan(0.02);
    for (const [x, y, z] of places) expect(Math.hypot(x!, y! - 1, z!)).toBeGreaterThan(0.35);
  });

  it('deletes a pose by its button', async () => {
    const { page } = studio;
    await studio.step(() => page.getByRole('button', { name: 'Delete the key at frame 24' }).click());
    expect(await page.locator('[data-pose]').count()).toBe(1);
  });
});
