/** Own meshes in the open scene: more bodies, an obstacle that is keyed, and another unit or axis of their files. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenBall } from './brokenBall';
import { barOverGround } from './scenes';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: barOverGround() });
});
afterAll(() => studio?.close());

const SLAB = `v -50 0 -50\nv 50 0 -50\nv 50 0 50\nv -50 0 50\nv -50 20 -50\nv 50 20 -50\nv 50 20 50\nv -50 20 50
f 1 2 3 4\nf 5 8 7 6\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n`;

/** Drops a file on one of the cards that show while it hovers. */
async function dropOn(card: 'body' | 'obstacle', name: string, text: string): Promise<void> {
  const { page } = studio;
  const data = await page.evaluateHandle(([file, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content!], file!));
    return transfer;
  }, [name, text]);
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: data });
  const box = (await page.locator(`[data-as=${card}]`).boundingBox())!;
  const at = { dataTransfer: data, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  await page.dispatchEvent('main', 'dragover', at);
  await page.locator(`p.on[data-as=${card}]`).waitFor();
  if (process.env.SINEW_SHOTS) await page.screenshot({ path: join(process.env.SINEW_SHOTS, `drop-${card}.png`) });
  await page.dispatchEvent('main', 'drop', at);
}

const names = async (list: 'body' | 'obstacle'): Promise<(string | undefined)[]> => (((await studio.value(list)) ?? []) as { name?: string }[]).map(({ name }) => name);
const low = (index: number) => studio.page.evaluate((body) => {
  const { picker, fleshNow } = window.sinew.viewport.body(body)!;
  const skin = picker.skinNow();
  let least = Infinity;
  for (let i = 1; i < skin.length; i += 3) least = Math.min(least, skin[i]! + fleshNow!.origin[1]);
  return least;
}, index);

describe('meshes of your own', () => {
  it('are added to the open scene, any number of them, and taken back', async () => {
    const { page } = studio;
    await studio.pause();
    await dropOn('body', 'ball.obj', brokenBall());
    await expect.poll(() => names('body'), { timeout: 60_000 }).toEqual(['bar', 'ball']);
    await studio.built();
    await page.waitForFunction(() => window.sinew.viewport.body(1)?.vertexAt(0));
    await dropOn('body', 'ball.obj', brokenBall());
    await expect.poll(() => names('body'), { timeout: 60_000 }).toEqual(['bar', 'ball', 'ball-2']);
    await studio.built();
    await page.waitForFunction(() => window.sinew.viewport.body(2)?.vertexAt(0), null, { timeout: 60_000 });
    // Beside each other, and over the ground.
    const middles = await page.evaluate(() => [0, 1, 2].map((body) => window.sinew.viewport.body(body)!.box().centre.x));
    expect(middles[1]! - middles[0]!).toBeGreaterThan(0.5);
    expect(middles[2]! - middles[1]!).toBeGreaterThan(0.5);
    expect(existsSync(join(studio.folder, 'assets/ball.obj'))).toBe(true);
    await page.keyboard.press('Control+z');
    await expect.poll(() => names('body')).toEqual(['bar', 'ball']);
    await studio.built();
  });

  it('are obstacles too: read in centimetres, put under the bar, keyed, and lift it', async () => {
    const { page } = studio;
    await dropOn('obstacle', 'slab.obj', SLAB);
    await expect.poll(() => names('obstacle'), { timeout: 60_000 }).toEqual(['ground', 'slab']);
    // 143 m from corner to corner is hardly meant: one click.
    await page.getByRole('button', { name: 'It is centimetres' }).first().click();
    await studio.becomes('obstacle.slab.unit', 'cm');
    await studio.built();
    await expect.poll(() => page.getByRole('button', { name: 'It is centimetres' }).count(), { message: 'it is answered' }).toBe(0);
    await studio.select('obstacle.slab');
    await page.evaluate(() => window.sinew.session.edit({ do: 'set', path: 'obstacle.slab.at', value: [0, [[1, 0], [30, 0], [50, 0.5]], 0] }));
    await studio.built();
    await page.locator('[data-action=restart]').click();
    await page.evaluate(() => window.sinew.session.send({ do: 'seek', frame: 60 }));
    await studio.leaveControls();
    await studio.play();
    await page.waitForFunction(() => !window.sinew.session.greyed && window.sinew.session.frame >= 60, null, { timeout: 60_000 });
    await studio.pause();
    expect(await low(0), 'metres: 20 cm of slab, lifted by half a metre').toBeGreaterThan(0.66);
    expect(await low(0)).toBeLessThan(0.76);
    if (process.env.SINEW_SHOTS) await page.screenshot({ path: join(process.env.SINEW_SHOTS, 'mesh-obstacle.png') });
    await page.keyboard.press('Control+s');
    await expect.poll(() => readFileSync(join(studio.folder, 'own.toml'), 'utf8')).toContain('shape = "mesh"');
  });

  it('stand on the ground and in the frame when their file is read in another unit or with another axis', async () => {
    const { page } = studio;
    await studio.toFirst();
    await studio.select('body.ball');
    await studio.field('body.ball.skin.unit').selectOption('in');
    await studio.becomes('body.ball.skin.unit', 'in');
    await studio.built();
    await page.waitForFunction(() => (window.sinew.viewport.body(1)?.bounds().radiusM ?? Infinity) < 0.05, null, { timeout: 60_000 });
    await studio.settle();
    await expect.poll(async () => Math.abs(await low(1)), { message: 'metres over the ground' }).toBeLessThan(1e-3);
    // Framed: most of the picture's height is the ball, once the camera has come to rest.
    const share = () => page.evaluate(() => {
      const { centre, radiusM } = window.sinew.viewport.body(1)!.bounds();
      const [a, b] = [-1, 1].map((side) => window.sinew.viewport.pixelOf([centre.x, centre.y + side * radiusM, centre.z]).y);
      return Math.abs(a! - b!) / document.querySelector('main canvas')!.clientHeight;
    });
    await expect.poll(share).toBeGreaterThan(0.25);
    await page.keyboard.press('Control+z');
    await studio.becomes('body.ball.skin.unit', 'm');
    await studio.built();
  });

  it('are scaled by keys, and the number is in the scene', async () => {
    const { page } = studio;
    await studio.select('body.ball');
    await studio.leaveControls();
    for (const key of ['s', '1', '.', '5']) await page.keyboard.press(key);
    expect(await page.getByTestId('gizmo').textContent()).toBe('×1.5');
    await page.keyboard.press('Enter');
    await studio.becomes('body.ball.scale', 1.5);
    await studio.built();
    await page.waitForFunction(() => (window.sinew.viewport.body(1)?.bounds().radiusM ?? 0) > 0.4, null, { timeout: 60_000 });
    expect(studio.complaints).toEqual([]);
  });
});
