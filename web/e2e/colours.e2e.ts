/** A mesh that brings a picture along is seen with it, on the page and in films. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'bar-rest' });
});
afterAll(() => studio?.close());

/** Two by two: red and green above, blue and yellow below. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGO4Iycnd0KDQc7mzrM7NgAhVgVbsN80fwAAAABJRU5ErkJggg==';

/** A cube of 60 cm, the whole picture on each of its sides. */
function cube(): string {
  const [position, uv, index]: [number[], number[], number[]] = [[], [], []];
  const place = (axis: number, side: number, s: number, t: number): number[] => {
    const at = [0, 0, 0];
    at[axis] = 0.3 * side;
    at[(axis + 1) % 3] = 0.3 * s * side;
    at[(axis + 2) % 3] = 0.3 * t;
    return at;
  };
  for (const axis of [0, 1, 2]) {
    for (const side of [-1, 1]) {
      const first = position.length / 3;
      for (const [s, t] of [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const) {
        position.push(...place(axis, side, s, t));
        uv.push((s + 1) / 2, (t + 1) / 2);
      }
      index.push(first, first + 1, first + 2, first, first + 2, first + 3);
    }
  }
  const bytes = Buffer.concat([Buffer.from(Float32Array.from(position).buffer), Buffer.from(Float32Array.from(uv).buffer), Buffer.from(Uint32Array.from(index).buffer)]);
  const [low, high] = [[-0.3, -0.3, -0.3], [0.3, 0.3, 0.3]];
  return JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 } }],
    textures: [{ source: 0 }], images: [{ uri: `data:image/png;base64,${PICTURE}` }],
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
    bufferViews: [{ buffer: 0, byteOffset: 0, byteLength: 288 }, { buffer: 0, byteOffset: 288, byteLength: 192 }, { buffer: 0, byteOffset: 480, byteLength: 144 }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 24, type: 'VEC3', min: low, max: high },
      { bufferView: 1, componentType: 5126, count: 24, type: 'VEC2' },
      { bufferView: 2, componentType: 5125, count: 36, type: 'SCALAR' },
    ],
  });
}

/** Which of the picture's colours are seen: shares of the pixels that are mostly green, and yellow. The scene has red and blue of its own. */
async function seen(png: Buffer): Promise<{ green: number; yellow: number }> {
  return studio.page.evaluate(async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const brush = canvas.getContext('2d')!;
    brush.drawImage(image, 0, 0);
    const { data } = brush.getImageData(0, 0, image.width, image.height);
    const count = { green: 0, yellow: 0 };
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = [data[i]!, data[i + 1]!, data[i + 2]!];
      if (g > 1.8 * r && g > 1.8 * b && g > 60) count.green += 1;
      if (r > 1.8 * b && g > 1.8 * b && r > 80 && g > 80) count.yellow += 1;
    }
    const all = data.length / 4;
    return { green: count.green / all, yellow: count.yellow / all };
  }, png.toString('base64'));
}

it('the page shows the picture that a glTF file brings', async () => {
  const { page } = studio;
  await studio.drop('cube.gltf', cube());
  await studio.brought();
  await studio.pause();
  await studio.toFirst();
  const shares = await seen(await studio.picture());
  if (process.env.SINEW_SHOTS) await page.screenshot({ path: join(process.env.SINEW_SHOTS, 'colours.png') });
  expect(shares.green).toBeGreaterThan(0.004);
  expect(shares.yellow).toBeGreaterThan(0.02);
});

it('so does a film', async () => {
  const { page } = studio;
  await page.keyboard.press('Control+e');
  await page.getByRole('radio', { name: 'Film or picture' }).click();
  await page.locator('[data-format=png]').click();
  await page.locator('[data-field="export-take"]').selectOption({ index: 1 });
  const file = await page.evaluate(() => window.sinew.session.document!.file!);
  await page.locator('[data-action=export-go]').click();
  const made = await page.waitForFunction(() => window.sinew.session.jobs.flatMap((job) => job.done?.files ?? []).find((name) => name.endsWith('.png')), null, { timeout: 60_000 });
  const png = readFileSync(join(studio.folder, (await made.jsonValue()) as string));
  if (process.env.SINEW_SHOTS) (await import('node:fs')).copyFileSync(join(studio.folder, (await made.jsonValue()) as string), join(process.env.SINEW_SHOTS, 'colours-film.png'));
  const shares = await seen(png);
  expect(shares.green, `share of green in the picture of ${file}`).toBeGreaterThan(0.002);
  expect(shares.yellow).toBeGreaterThan(0.01);
  await page.keyboard.press('Escape');
  expect(studio.complaints).toEqual([]);
});
