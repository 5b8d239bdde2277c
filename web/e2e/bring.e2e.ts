/** Workflow 2: bring a mesh of your own, see it meshed, give it a material and drop it on the ground. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenBall } from './brokenBall';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'bar-rest' });
});
afterAll(async () => {
  await studio?.close();
});

describe('a mesh of your own', () => {
  it('is dropped on the page, repaired, meshed with progress, and opened', async () => {
    const { page } = studio;
    const progress: string[] = [];
    await page.exposeFunction('noteJob', (words: string) => progress.push(words));
    await page.evaluate(() => {
      setInterval(() => {
        for (const job of window.sinew.session.jobs) (window as unknown as { noteJob(words: string): void }).noteJob(`${job.what}: ${job.step}`);
      }, 20);
    });
    await studio.drop('my-ball.obj', brokenBall());
    await studio.brought();
    await expect.poll(() => new Set(progress).size, { message: 'the work said what it was doing' }).toBeGreaterThan(0);
    const mesh = (await studio.value('body[0].skin.mesh')) as string;
    const document = await page.evaluate(() => ({ name: window.sinew.session.document!.name, file: window.sinew.session.document!.file }));
    expect(document.name).toContain('my-ball');
    expect(existsSync(join(studio.folder, document.file ?? '', '..', mesh)), `${mesh} lies beside ${document.file}`).toBe(true);
    expect(await page.getByText('Drop the mesh').count()).toBe(0);
  });

  it('looks as it should: a whole ball of the size that was brought', async () => {
    const { page } = studio;
    await studio.leaveControls();
    await studio.pause();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.scene!.first_frame);
    const shape = await page.evaluate(() => {
      const body = window.sinew.viewport.body(0)!;
      const skin = body.picker.skinNow();
      const reach: number[] = [];
      for (let i = 0; i < skin.length; i += 3) reach.push(Math.hypot(skin[i]!, skin[i + 1]!, skin[i + 2]!));
      return { least: Math.min(...reach), most: Math.max(...reach), triangles: body.model.triangles.length / 3 };
    });
    expect(shape.most).toBeLessThan(0.33);
    expect(shape.least).toBeGreaterThan(0.25);
    expect(shape.triangles).toBeGreaterThan(500);
  });

  it('gets a material and falls on the ground', async () => {
    const { page } = studio;
    const body = await page.evaluate(() => window.sinew.session.scene!.bodies[0]!.path);
    await studio.select(body);
    await studio.field(`${body}.material.preset`).selectOption('rubber');
    await expect.poll(() => studio.value(`${body}.material.preset`)).toBe('rubber');
    if (((await studio.value('obstacle')) as unknown[] | undefined)?.length !== 1) {
      await page.locator('[data-action=add]').click();
      await page.getByRole('menuitem', { name: 'Plane' }).click();
    }
    await expect.poll(async () => ((await studio.value('obstacle')) as unknown[] | undefined)?.length).toBe(1);
    await studio.select(body);
    await studio.type(`${body}.at[1]`, '80cm');
    await expect.poll(() => studio.value(`${body}.at[1]`)).toBe(0.8);
    await page.waitForFunction(() => window.sinew.session.document!.building === null && window.sinew.viewport.body(0)?.vertexAt(0));
    await page.locator('[data-action=restart]').click();
    await page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.scene!.first_frame);
    const lowest = () => page.evaluate(() => {
      const body = window.sinew.viewport.body(0)!;
      const skin = body.picker.skinNow();
      let least = Infinity;
      for (let i = 1; i < skin.length; i += 3) least = Math.min(least, skin[i]! + body.fleshNow!.origin[1]);
      return least;
    });
    expect(await lowest()).toBeGreaterThan(0.3);
    if (!(await page.evaluate(() => window.sinew.session.transport!.playing))) await page.keyboard.press('Space');
    await expect.poll(lowest, { timeout: 90_000 }).toBeLessThan(0.05);
    await page.waitForTimeout(500);
    expect(await lowest(), 'the ground holds it').toBeGreaterThan(-0.05);
  });

  it('is refused where it is no mesh, in words', async () => {
    const { page } = studio;
    await page.locator('#bring').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
    await page.getByTestId('problem').waitFor();
    expect(await page.getByTestId('problem').textContent()).toContain('notes.txt');
    await page.getByRole('button', { name: 'Put the message away' }).click();
    await page.locator('#bring').setInputFiles({ name: 'empty.obj', mimeType: 'text/plain', buffer: Buffer.from('# nothing\n') });
    await expect.poll(() => page.evaluate(() => window.sinew.session.jobs.some((job) => job.failed) || window.sinew.session.refused !== null)).toBe(true);
    expect(await studio.faults()).toEqual([]);
    expect(studio.complaints.filter((text) => !text.includes('400') && !text.includes('422'))).toEqual([]);
  });
});
