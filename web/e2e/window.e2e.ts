/** Windows smaller than the design's: nothing is out of reach, and nothing covers anything. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'bounce', width: 1150, height: 740 });
  await studio.pause();
});
afterAll(() => studio?.close());

const WORKSPACES = ['stage', 'fields', 'metaphors', 'keys'] as const;
const shot = async (name: string): Promise<unknown> => process.env.SINEW_SHOTS && studio.page.screenshot({ path: `${process.env.SINEW_SHOTS}/${name}.png` });

/** What stands outside the window, by name: controls of the bars, and the ends of the panels. */
const outside = (): Promise<string[]> => studio.page.evaluate(() => {
  const named = [...document.querySelectorAll('header button, .transport button, [role=toolbar] button'), ...document.querySelectorAll('.right, section.dock, footer')];
  return named.flatMap((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return left < -0.5 || top < -0.5 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5 ? [each.getAttribute('aria-label') ?? (each instanceof HTMLButtonElement ? each.textContent.trim() : each.className)] : [];
  });
});
/** What the tools of the stage lie over or stick out of. */
const covered = (): Promise<string[]> => studio.page.evaluate(() => {
  const box = (selector: string): DOMRect => document.querySelector(selector)!.getBoundingClientRect();
  const [tools, stage] = [box('.tools'), box('main')];
  const meets = (other: DOMRect): boolean => tools.left < other.right && other.left < tools.right && tools.top < other.bottom && other.top < tools.bottom;
  const sticksOut = tools.bottom > stage.bottom || tools.right > stage.right;
  const bars = [...document.querySelectorAll('main .bar[role=toolbar]')].filter((bar) => meets(bar.getBoundingClientRect()));
  const hidden = [...document.querySelectorAll<HTMLElement>('.tools button')].filter((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  return [...(sticksOut ? ['the stage'] : []), ...(meets(box('main .stat')) ? ['what the stage says'] : []), ...bars.map(() => 'a bar'), ...hidden.map((button) => `${button.ariaLabel} is covered`)];
});
const scrolls = (): Promise<[number, number]> => studio.page.evaluate(() => {
  const most = (size: 'Width' | 'Height'): number => Math.max(...[document.documentElement, document.body, document.querySelector('#studio')!].map((each) => each[`scroll${size}`] - each[`client${size}`]));
  return [most('Width'), most('Height')];
});

describe('a small window', () => {
  it.each([[1150, 740], [1150, 640], [900, 740], [900, 600], [880, 560]])('of %i × %i has everything in it', async (width, height) => {
    await studio.page.setViewportSize({ width, height });
    for (const workspace of WORKSPACES) {
      await studio.page.evaluate((to) => window.sinew.studio.enter(to), workspace);
      await studio.drawn();
      expect(await outside(), workspace).toEqual([]);
      expect(await covered(), workspace).toEqual([]);
      expect(await scrolls(), workspace).toEqual([0, 0]);
      await shot(`window-${width}x${height}-${workspace}`);
    }
  });

  it('that is smaller still scrolls to what it has no room for', async () => {
    const { page } = studio;
    await page.setViewportSize({ width: 640, height: 440 });
    await studio.drawn();
    expect(await covered()).toEqual([]);
    expect(await outside()).toContain('Export');
    await page.mouse.move(300, 20);
    await page.mouse.wheel(1000, 0);
    await expect.poll(async () => (await page.getByRole('button', { name: 'Export' }).boundingBox())!.x).toBeLessThan(640 - 70);
    await page.mouse.wheel(0, 1000);
    await expect.poll(async () => (await page.locator('footer').boundingBox())!.y).toBeLessThan(440 - 20);
    await shot('window-640x440-scrolled');
    await page.getByRole('radio', { name: 'Curves' }).click();
    await expect.poll(() => page.evaluate(() => window.sinew.studio.dockTab)).toBe('curves');
  });

  it('has its dialogs in it', async () => {
    const { page } = studio;
    for (const [keys, name] of [['Control+k', 'Commands'], ['Control+o', 'Scenes'], ['?', 'Shortcuts'], ['Control+e', 'Export']] as const) {
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.keyboard.press(keys);
      const box = (await page.getByRole('dialog', { name }).boundingBox())!;
      expect([box.x >= 0, box.y >= 0, box.x + box.width <= 640, box.y + box.height <= 440], name).toEqual([true, true, true, true]);
      await page.keyboard.press('Escape');
    }
  });

  it('has a tour whose buttons are on its card', async () => {
    const { page } = studio;
    for (const width of [1200, 900]) {
      await page.setViewportSize({ width, height: 750 });
      await page.evaluate(() => (window.sinew.studio.tour = 0));
      const card = (await page.getByRole('region', { name: 'Guided tour' }).boundingBox())!;
      for (const name of ['Skip tour', 'Next']) {
        const button = (await page.getByRole('button', { name, exact: true }).boundingBox())!;
        expect([button.x >= card.x, button.x + button.width <= card.x + card.width], `${name} at ${width}`).toEqual([true, true]);
      }
      await shot(`window-tour-${width}`);
      await page.getByRole('button', { name: 'Skip tour' }).click();
    }
    expect(studio.complaints).toEqual([]);
  });
});
