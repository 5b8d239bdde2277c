/** An export is of the scene, not of its bodies alone: camera and obstacles with their motion, and the frames that were asked for. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barOverGround } from './scenes';
import { Studio } from './studio';

const SCENE = barOverGround(`
[[obstacle]]
name = "lift"
shape = "box"
size = [0.4, 0.1, 0.4]
at = [0.0, [[1, 0.05], [24, 0.3]], 0.0]

[camera]
eye = [[[1, 1.3], [24, 0.2]], 1.1, 2.6]
look_at = [0.0, 0.4, 0.0]
`);

interface Gltf {
  nodes: { name: string; camera?: number; mesh?: number; translation?: number[] }[];
  cameras?: { perspective: { yfov: number } }[];
  animations: { channels: { target: { node: number; path: string } }[] }[];
  asset: { extras: { sinew: { first_frame: number; frames: number } } };
}

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
});
afterAll(() => studio?.close());

it('a glTF has the camera, the obstacles and the frames that were asked for', async () => {
  const { page } = studio;
  await studio.pause();
  await page.keyboard.press('Control+e');
  const dialog = page.getByRole('dialog', { name: 'Export' });
  await dialog.locator('[data-format=glb]').click();
  await dialog.locator('[data-field="export-first"]').click();
  await page.keyboard.type('3');
  await page.keyboard.press('Enter');
  await dialog.locator('[data-field="export-last"]').click();
  await page.keyboard.type('12');
  await page.keyboard.press('Enter');
  await dialog.locator('[data-action=export-go]').click();
  const file = join(studio.folder, 'own.glb');
  await page.waitForFunction(() => window.sinew.session.jobs.some((job) => job.done ?? job.failed), null, { timeout: 90_000 });
  await expect.poll(() => existsSync(file)).toBe(true);
  const bytes = readFileSync(file);
  const gltf = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString()) as Gltf;
  expect(gltf.nodes.map(({ name }) => name)).toEqual(['bar', 'ground', 'lift', 'camera']);
  const moved = (name: string): string[] => gltf.animations[0]!.channels.filter(({ target }) => gltf.nodes[target.node]!.name === name).map(({ target }) => target.path);
  expect(moved('ground')).toEqual([]);
  expect(moved('lift')).toEqual(['translation', 'rotation']);
  expect(moved('camera')).toEqual(['translation', 'rotation']);
  expect(gltf.asset.extras.sinew).toMatchObject({ first_frame: 3, frames: 10 });
  expect((gltf.cameras![0]!.perspective.yfov * 180) / Math.PI).toBeCloseTo(40, 3);
  // The lift where it is at frame 3.
  expect(gltf.nodes[2]!.translation![1]).toBeCloseTo(0.05 + (0.25 * 2) / 23, 1);
  await page.keyboard.press('Escape');
  expect(studio.complaints).toEqual([]);
});
