/** What belongs to a mesh comes along with it: materials and pictures that are dropped together with it, and colours of its vertices. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Eyes } from './eyes';
import { Studio } from './studio';

let studio: Studio;
let eyes: Eyes;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'bar-rest' });
  eyes = await Eyes.of(studio.page);
});
afterAll(() => studio?.close());

/** A cube of 60 cm, each vertex followed by `more`, each corner of a face by texture coordinates. */
function cube(more: (corner: number) => string, faces: string): string {
  const corner = (n: number): string => `v ${[0, 1, 2].map((axis) => ((n >> axis) & 1 ? 0.3 : -0.3)).join(' ')} ${more(n)}`;
  const sides = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
  const face = (corners: number[]): string => `f ${corners.map((v, i) => `${v}/${i + 1}`).join(' ')}`;
  return [...Array.from({ length: 8 }, (_, n) => corner(n)), 'vt 0 0', 'vt 1 0', 'vt 1 1', 'vt 0 1', faces, ...sides.map(face)].join('\n');
}

/** Shares of a picture that are green and that are magenta. */
async function seen(): Promise<{ green: number; magenta: number }> {
  const box = (await studio.page.locator('main').boundingBox())!;
  const { data } = await eyes.region({ x: box.x + box.width * 0.25, y: box.y + 60, width: box.width * 0.5, height: box.height - 120 });
  let [green, magenta] = [0, 0];
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = [data[i]!, data[i + 1]!, data[i + 2]!];
    if (g > 1.7 * r && g > 1.7 * b && g > 50) green += 1;
    if (r > 1.7 * g && b > 1.7 * g && r > 50) magenta += 1;
  }
  return { green: (4 * green) / data.length, magenta: (4 * magenta) / data.length };
}

/** One pixel of green. */
const GREEN = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNguMMAAAG8AN2pOMo9AAAAAElFTkSuQmCC';

it('an OBJ is drawn with the picture of the MTL that is dropped with it, whatever folder that names', async () => {
  const { page } = studio;
  const files: [string, string][] = [
    ['skin.png', GREEN],
    ['box.mtl', Buffer.from('newmtl painted\nKd 0.1 0.1 0.1\nmap_Kd C:\\textures\\skin.png\n').toString('base64')],
    ['box.obj', Buffer.from(cube(() => '', 'mtllib box.mtl\nusemtl painted')).toString('base64')],
  ];
  await studio.dropFiles(files);
  await page.waitForFunction(() => window.sinew.session.scene?.bodies[0]?.name === 'box' && window.sinew.session.document!.building === null, null, { timeout: 90_000 });
  await studio.toFirst();
  await expect.poll(async () => (await seen()).green, { timeout: 30_000 }).toBeGreaterThan(0.03);
  for (const [name] of files) expect(readFileSync(join(studio.folder, 'box', 'assets', name)).length, name).toBeGreaterThan(10);
  if (process.env.SINEW_SHOTS) await page.screenshot({ path: join(process.env.SINEW_SHOTS, 'belongings.png') });
});

it('colours of vertices are drawn on the page', async () => {
  const { page } = studio;
  const text = cube((n) => (n & 1 ? '0 1 0' : '1 0 1'), '');
  await studio.drop('tinted.obj', text);
  await page.waitForFunction(() => window.sinew.session.scene?.bodies[0]?.name === 'tinted' && window.sinew.session.document!.building === null, null, { timeout: 90_000 });
  await studio.toFirst();
  await expect.poll(async () => Object.values(await seen()).every((share) => share > 0.005), { timeout: 30_000 }).toBe(true);
  if (process.env.SINEW_SHOTS) await page.screenshot({ path: join(process.env.SINEW_SHOTS, 'tinted.png') });
});

it('and in a film', async () => {
  const { page } = studio;
  await page.keyboard.press('Control+e');
  await page.getByRole('radio', { name: 'Film or picture' }).click();
  await page.locator('[data-format=png]').click();
  await page.locator('[data-field="export-take"]').selectOption({ index: 1 });
  await page.locator('[data-action=export-go]').click();
  const made = await page.waitForFunction(() => window.sinew.session.jobs.flatMap((job) => job.done?.files ?? []).find((name) => name.endsWith('.png')), null, { timeout: 60_000 });
  const { data } = await eyes.decode(readFileSync(join(studio.folder, (await made.jsonValue()) as string)));
  const count = (is: (r: number, g: number, b: number) => boolean): number => data.reduce((sum, _, i) => sum + (i % 4 === 0 && is(data[i]!, data[i + 1]!, data[i + 2]!) ? 1 : 0), 0);
  expect(count((r, g, b) => g > 1.5 * r && g > 1.5 * b)).toBeGreaterThan(200);
  expect(count((r, g, b) => r > 1.5 * g && b > 1.5 * g)).toBeGreaterThan(200);
  await page.keyboard.press('Escape');
  expect(studio.complaints).toEqual([]);
});
