/** A mesh that nobody described: its legs have flesh, it stands as it is, its units are asked about, and the floor is there to see. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Eyes } from './eyes';
import { Studio } from './studio';

/** A beast of boxes on four thin legs, `size` times as large as a calf; with a slit, it carries two packs that nearly touch. */
function beast(size: number, slit = false): string {
  const lines: string[] = [];
  let first = 1;
  const box = (low: number[], high: number[]): void => {
    for (let n = 0; n < 8; n++) lines.push(`v ${[0, 1, 2].map((axis) => size * ((n >> axis) & 1 ? high[axis]! : low[axis]!)).join(' ')}`);
    for (const face of [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]) lines.push(`f ${face.map((corner) => first + corner).join(' ')}`);
    first += 8;
  };
  box([-0.5, 0.5, -0.22], [0.5, 0.95, 0.22]);
  box([0.48, 0.7, -0.13], [0.8, 1.05, 0.13]);
  if (slit) for (const [from, to] of [[-0.4, -0.003], [0.003, 0.4]]) box([from!, 0.9, -0.2], [to!, 1.4, 0.2]);
  for (const [x, z] of [[-0.42, -0.15], [0.42, -0.15], [-0.42, 0.15], [0.42, 0.15]]) box([x! - 0.05, 0, z! - 0.05], [x! + 0.05, 0.52, z! + 0.05]);
  return lines.join('\n');
}

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'bar-rest' });
});
afterAll(() => studio?.close());

/** Lowest and highest point of the skin now, and of its flesh. */
const heights = (): Promise<{ skin: [number, number]; flesh: [number, number] }> =>
  studio.page.evaluate(() => {
    const body = window.sinew.viewport.body(0)!;
    const { origin, positions } = body.fleshNow!;
    const span = (values: Float32Array): [number, number] => {
      let [low, high] = [Infinity, -Infinity];
      for (let i = 1; i < values.length; i += 3) [low, high] = [Math.min(low, values[i]! + origin[1]), Math.max(high, values[i]! + origin[1])];
      return [low, high];
    };
    return { skin: span(body.picker.skinNow()), flesh: span(positions) };
  });

describe('a beast on thin legs', () => {
  it('has flesh down to its feet', async () => {
    await studio.drop('beast.obj', beast(1));
    await studio.brought();
    await studio.toFirst();
    const { skin, flesh } = await heights();
    expect(Math.abs(flesh[0] - skin[0]), 'metres from the lowest flesh to the sole').toBeLessThan(0.06);
    const vertices = (await studio.value('body.beast.flesh.vertices')) as number;
    expect(vertices).toBeGreaterThan(500);
    expect(vertices).toBeLessThanOrEqual(3000);
  });

  it('falls, and stands recognisably: it sags by a few hundredths, and nothing is below the floor', async () => {
    const { page } = studio;
    const { skin } = await heights();
    const tall = skin[1] - skin[0];
    await page.locator('[data-field="frame"]').click();
    await page.keyboard.type('72');
    await page.keyboard.press('Enter');
    await studio.leaveControls();
    await studio.play();
    await page.waitForFunction(() => !window.sinew.session.greyed && window.sinew.session.pictured >= 72, null, { timeout: 150_000 });
    await studio.pause();
    const now = await heights();
    expect(now.skin[0]).toBeGreaterThan(-0.03);
    expect((now.skin[1] - now.skin[0]) / tall).toBeGreaterThan(0.85);
    expect((now.skin[1] - now.skin[0]) / tall).toBeLessThan(1.03);
  });

  it('stands on a floor that is seen as one', async () => {
    const { page } = studio;
    const eyes = await Eyes.of(page);
    const box = (await page.locator('main').boundingBox())!;
    const clip = { x: box.x + 60, y: box.y + box.height * 0.72, width: 200, height: 60 };
    await studio.settle();
    const bright = (picture: { data: number[] }): number => picture.data.reduce((sum, value, i) => sum + (i % 4 < 3 ? value : 0), 0) / (0.75 * picture.data.length);
    const solid = bright(await eyes.region(clip));
    await page.evaluate(() => window.sinew.session.edit({ do: 'remove', path: 'obstacle.ground' }));
    await studio.built();
    await studio.settle();
    const bare = bright(await eyes.region(clip));
    expect(solid - bare).toBeGreaterThan(6);
    await page.keyboard.press('Control+z');
    await studio.built();
  });
});

describe('flesh that is too coarse for a gap', () => {
  it('is warned of in one line, with a button that makes it finer', async () => {
    const { page } = studio;
    await studio.drop('laden.obj', beast(1, true));
    await page.waitForFunction(() => window.sinew.session.scene?.bodies[0]?.name === 'laden' && window.sinew.session.document!.building === null, null, { timeout: 90_000 });
    await page.waitForFunction(() => window.sinew.session.document!.notices.length > 0);
    await page.locator('[data-action=warnings]').click();
    const list = page.getByRole('dialog', { name: 'Warnings' });
    const groups = await list.getByRole('listitem').count();
    const paths = await list.locator('i').allTextContents();
    expect(new Set(paths).size, 'a place is named once').toBe(groups);
    expect(await list.textContent()).not.toContain('sinew mesh');
    const before = (await studio.value('body.laden.flesh.vertices')) as number;
    await list.getByRole('button', { name: /^Use [\d,]+ vertices$/ }).click();
    await expect.poll(async () => (await studio.value('body.laden.flesh.vertices')) as number).toBeGreaterThan(1.5 * before);
    await page.keyboard.press('Escape');
    await studio.built();
  });
});

describe('a mesh in millimetres', () => {
  it('is asked about, and one click makes it its own size, on the ground and in the picture', async () => {
    const { page } = studio;
    await studio.drop('big.obj', beast(773));
    await page.waitForFunction(() => window.sinew.session.document?.name.startsWith('big') && window.sinew.session.document.building === null && window.sinew.session.scene?.bodies[0]?.name === 'big', null, { timeout: 90_000 });
    await page.getByTestId('notice').getByText(/is this millimetres\?/).waitFor();
    await page.getByTestId('notice').getByRole('button', { name: 'It is millimetres' }).click();
    await studio.becomes('body.big.skin.unit', 'mm');
    await studio.built();
    await page.waitForFunction(() => (window.sinew.viewport.body(0)?.box().radiusM ?? Infinity) < 2);
    await studio.toFirst();
    const { skin } = await heights();
    expect(skin[1] - skin[0]).toBeGreaterThan(0.7);
    expect(skin[1] - skin[0]).toBeLessThan(0.9);
    expect(skin[0]).toBeGreaterThan(0);
    const middle = await studio.middleOfBody();
    const box = (await page.locator('main').boundingBox())!;
    expect(Math.abs(middle.x - box.x - box.width / 2)).toBeLessThan(0.25 * box.width);
    expect(await page.getByTestId('notice').count()).toBe(0);
  });

  it('is put on the ground by its menu', async () => {
    const { page } = studio;
    await page.locator('[role=treeitem][data-path="body.big"]').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Put on ground' }).click();
    await studio.built();
    await studio.toFirst();
    await expect.poll(async () => Math.abs((await heights()).skin[0])).toBeLessThan(0.005);
    expect(studio.complaints).toEqual([]);
  });
});
