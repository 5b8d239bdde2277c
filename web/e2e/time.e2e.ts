/** Time obeys the user: a page that cannot keep up pauses at once, and the playhead goes where it is put. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slowdown } from './machine';
import { Studio } from './studio';

describe('a page that is slow', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.open({ scene: 'jellyfish' });
  });
  afterAll(() => studio?.close());

  it('gets no more pictures than it draws, pauses at once, and says that it draws less', async () => {
    const { page } = studio;
    await studio.play();
    // Every picture takes as long as on a machine without a graphics card at 4K.
    await page.evaluate(() => {
      window.sinew.viewport.onDrawn(() => {
        const until = performance.now() + 350;
        while (performance.now() < until);
      });
    });
    // It says that it draws less, which is decided by measured pictures, and goes on showing frames.
    await page.getByTestId('lowered').waitFor({ timeout: 120_000 });
    const now = () => page.evaluate(() => ({ seen: window.sinew.session.pictured, told: window.sinew.session.transport!.frame }));
    const first = await now();
    await page.waitForFunction((seen) => window.sinew.session.pictured !== seen, first.seen);
    const slower = slowdown();
    const began = Date.now();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    expect((Date.now() - began) / slower, 'milliseconds until the page says that it is paused').toBeLessThan(2500);
    await studio.settle();
    expect((Date.now() - began) / slower, 'milliseconds until what is on screen is what the server shows').toBeLessThan(5000);
    const stood = await now();
    await page.waitForTimeout(1500);
    expect(await now()).toEqual(stood);
    expect(stood.seen).toBe(stood.told);
    await page.getByTestId('lowered').waitFor();
    expect(await page.getByTestId('lowered').textContent()).toContain('resolution');
    expect(await page.evaluate(() => window.sinew.session.link)).toBe('live');
    expect(studio.complaints).toEqual([]);
  });
});

describe('the playhead', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.open({ scene: 'bar-drop' });
    await studio.pause();
    await studio.page.locator('[data-action=restart]').click();
    await studio.page.waitForFunction(() => window.sinew.session.transport!.recorded_to === window.sinew.session.scene!.first_frame);
  });
  afterAll(() => studio?.close());

  const go = async (frame: number): Promise<void> => {
    await studio.page.locator('[data-field="frame"]').click();
    await studio.page.keyboard.type(String(frame));
    await studio.page.keyboard.press('Enter');
    await studio.page.waitForFunction((wanted) => window.sinew.session.frame === wanted, frame);
  };

  it('goes to a frame that is typed, simulated or not, and what is not simulated is grey', async () => {
    const { page } = studio;
    await studio.leaveControls();
    await studio.settle();
    const alive = await studio.picture();
    await go(20);
    expect(await page.evaluate(() => window.sinew.session.transport)).toMatchObject({ frame: 20, shown: 1, recorded_to: 1 });
    expect(await page.getByTestId('not-simulated').textContent()).toContain('frame 20 is not simulated');
    await studio.settle();
    expect((await studio.picture()).equals(alive)).toBe(false);
    await studio.leaveControls();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => window.sinew.session.frame === 21);
    await page.locator('[data-action=first]').click();
    await page.waitForFunction(() => window.sinew.session.frame === 1 && !window.sinew.session.greyed);
    await expect.poll(async () => (await studio.picture()).equals(alive)).toBe(true);
  });

  it('stays when a key is set on an early frame, so that the next key lands where it is put', async () => {
    const { page } = studio;
    const body = await page.evaluate(() => window.sinew.studio.bodyPath!);
    await go(12);
    await page.evaluate((path) => window.sinew.session.edit({ do: 'set', path: `${path}.scale`, value: 1.2 }), body);
    await studio.built();
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to === 1);
    await page.waitForTimeout(500);
    expect(await studio.frame()).toBe(12);
  });

  it('is caught up with by the stage when time runs', async () => {
    const { page } = studio;
    await go(15);
    await studio.leaveControls();
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.sinew.session.greyed && window.sinew.session.frame > 15);
    await studio.pause();
    expect(await page.evaluate(() => window.sinew.session.transport!.recorded_to)).toBeGreaterThanOrEqual(15);
    // A step is told for the frame as well as for one of its substeps.
    const [step, frame] = await Promise.all(['step-ms', 'frame-ms'].map(async (id) => parseFloat((await page.getByTestId(id).textContent())!)));
    const substeps = await page.evaluate(() => window.sinew.session.scene!.substeps);
    expect(frame! / step!).toBeCloseTo(substeps, -0.5);
    expect(studio.complaints).toEqual([]);
  });
});
