/** The keyboard belongs to the stage after every click: Space plays and arrows step time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'bar-rest' });
});
afterAll(() => studio?.close());

const playing = (): Promise<boolean> => studio.page.evaluate(() => window.sinew.session.transport!.playing);
const opened = (name: string): Promise<unknown> =>
  studio.page.waitForFunction((scene) => window.sinew.session.scene?.name === scene && window.sinew.viewport.body(0)?.vertexAt(0), name);

describe('the keyboard', () => {
  it('plays after a scene was chosen with the mouse', async () => {
    const { page } = studio;
    await page.locator('[data-action=gallery]').click();
    await page.locator('[data-scene="bar-soft"]').click();
    await opened('bar-soft');
    await page.waitForFunction(() => window.sinew.session.transport!.playing);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.sinew.session.transport!.playing);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('opens what Find found first with Enter, and plays then', async () => {
    const { page } = studio;
    await page.locator('[data-action=gallery]').click();
    await page.keyboard.type('bar-drop');
    await page.keyboard.press('Enter');
    await opened('bar-drop');
    await page.waitForFunction(() => window.sinew.session.transport!.playing);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.sinew.session.transport!.playing);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('steps time after a look was clicked', async () => {
    const { page } = studio;
    await studio.pause();
    await page.getByRole('radio', { name: 'Flesh' }).click();
    const before = await studio.frame();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((frame) => window.sinew.session.frame === frame - 1, before);
    expect(await page.evaluate(() => window.sinew.studio.looks.shade)).toBe('flesh');
    await page.locator('[data-action=look]').click();
    await page.getByRole('menuitemcheckbox', { name: /^Speed/ }).click();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((frame) => window.sinew.session.frame === frame, before);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.sinew.session.transport!.playing);
    expect(await page.getByRole('menu').count()).toBe(0);
    await studio.pause();
  });

  it('finds a part of the scene with Enter', async () => {
    const { page } = studio;
    await page.getByRole('button', { name: 'Find in the scene' }).click();
    await page.keyboard.type('ground');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.sinew.studio.selection === 'obstacle.ground');
    await page.getByRole('button', { name: 'Find in the scene' }).click();
  });

  it('keeps the selection when a name is refused, and takes it along when it is not', async () => {
    const { page } = studio;
    const rename = async (to: string): Promise<void> => {
      await page.keyboard.press('F2');
      await page.keyboard.press('Control+a');
      await page.keyboard.type(to);
      await page.keyboard.press('Enter');
    };
    await page.locator('[data-action=add]').click();
    await page.getByRole('menuitem', { name: 'Sphere' }).first().click();
    await page.locator('[role=treeitem][data-path="obstacle.sphere"]').click();
    await rename('ground');
    await page.getByTestId('problem').waitFor();
    await rename('not a name');
    expect(await page.evaluate(() => window.sinew.studio.selection)).toBe('obstacle.sphere');
    await rename('moon');
    await page.waitForFunction(() => window.sinew.studio.selection === 'obstacle.moon');
    expect(await playing()).toBe(false);
    expect(studio.complaints).toEqual([]);
  });
});
