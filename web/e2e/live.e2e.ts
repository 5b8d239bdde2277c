/** The running stage: it moves, obeys, and can be pulled by hand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(async () => {
  await studio?.close();
});

describe('the live page', () => {
  it('drops the token from its address and still loads again', async () => {
    expect(studio.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?t=[0-9a-f]{32}$/);
    expect(new URL(studio.page.url()).search).toBe('');
    await studio.page.reload();
    await studio.page.waitForFunction(() => window.sinew?.viewport?.body(0)?.vertexAt(0));
  });

  it('shows the body moving: the counter runs and the picture changes', async () => {
    const [frame, picture] = [await studio.frame(), await studio.picture()];
    await studio.page.waitForFunction((before) => window.sinew.session.frame !== before, frame);
    // A software renderer draws a few pictures a second, fewer when the machine is busy.
    await expect.poll(async () => (await studio.picture()).equals(picture), { timeout: 60_000, interval: 500 }).toBe(false);
  });

  it('stands still when paused, and steps by one frame', async () => {
    await studio.pause();
    const [frame, picture] = [await studio.frame(), await studio.picture()];
    await studio.page.waitForTimeout(400);
    expect(await studio.frame()).toBe(frame);
    expect((await studio.picture()).equals(picture)).toBe(true);
    // From the first frame on, so that there is one to step to.
    await studio.page.keyboard.press('Shift+ArrowLeft');
    await studio.settle();
    const first = await studio.frame();
    await studio.page.keyboard.press('ArrowRight');
    await studio.page.waitForFunction((before) => window.sinew.session.frame === before + 1, first);
    await studio.page.locator('[data-action=step-forward]').click();
    await studio.page.waitForFunction((before) => window.sinew.session.frame === before + 2, first);
    await studio.page.keyboard.press('ArrowLeft');
    await studio.page.waitForFunction((before) => window.sinew.session.frame === before + 1, first);
  });

  it('orbits, pans and zooms without moving the body', async () => {
    const { page } = studio;
    const eye = () => page.evaluate(() => window.sinew.viewport.orbit.eye);
    const body = () => page.evaluate(() => window.sinew.viewport.body(0)!.vertexAt(0));
    const box = (await page.locator('main').boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const [eyeBefore, bodyBefore, pictureBefore] = [await eye(), await body(), await studio.picture()];
    await page.mouse.move(x, y);
    await page.mouse.down({ button: 'middle' });
    await page.mouse.move(x + 120, y + 30, { steps: 4 });
    await page.mouse.up({ button: 'middle' });
    await studio.settle();
    const turned = await eye();
    expect(turned).not.toEqual(eyeBefore);
    expect((await studio.picture()).equals(pictureBefore)).toBe(false);
    await page.mouse.wheel(0, -200);
    await page.keyboard.down('Shift');
    await page.mouse.down({ button: 'middle' });
    await page.mouse.move(x + 60, y, { steps: 3 });
    await page.mouse.up({ button: 'middle' });
    await page.keyboard.up('Shift');
    expect(await eye()).not.toEqual(turned);
    expect(await body()).toEqual(bodyBefore);
    await page.keyboard.press('f');
    await studio.settle();
  });

  it('scrubs along the ruler, over what is recorded and beyond', async () => {
    const { page } = studio;
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to > window.sinew.session.scene!.first_frame + 12);
    await studio.pause();
    const [first, recordedTo, last] = await page.evaluate(() => {
      const { scene, transport } = window.sinew.session;
      return [scene!.first_frame, transport!.recorded_to, scene!.last_frame] as const;
    });
    const box = (await page.getByRole('slider', { name: 'Timeline' }).boundingBox())!;
    const x = (frame: number) => box.x + 16 + ((frame - first) / (last - first)) * (box.width - 32);
    await page.mouse.move(x(first + 10), box.y + 10);
    await page.mouse.down();
    await page.waitForFunction((frame) => window.sinew.session.frame === frame, first + 10);
    await page.mouse.move(x(first + 3), box.y + 10, { steps: 3 });
    await page.waitForFunction((frame) => window.sinew.session.frame === frame, first + 3);
    await page.mouse.move(x(last) + 30, box.y + 10, { steps: 3 });
    await page.waitForFunction(([end, shown]) => window.sinew.session.frame === end && window.sinew.session.pictured === shown, [last, recordedTo] as const);
    await page.mouse.up();
    await page.locator('[data-action=last]').click();
    await page.waitForFunction((frame) => window.sinew.session.frame === frame, recordedTo);
    await studio.settle();
  });

  it('makes the same skin on the GPU as its rows say', async () => {
    const worst = await studio.page.evaluate(() => {
      const { viewport } = window.sinew;
      const body = viewport.body(0)!;
      const made = viewport.readSkin(0)!;
      const { centre, radiusM } = body.bounds();
      let away = 0;
      for (let vertex = 0; vertex < made.length / 3; vertex++) {
        const [px, py, pz] = body.vertexAt(vertex)!;
        const [x, y, z] = [made[3 * vertex]! + centre.x, made[3 * vertex + 1]! + centre.y, made[3 * vertex + 2]! + centre.z];
        away = Math.max(away, Math.hypot(px - x, py - y, pz - z));
      }
      return away / (2 * radiusM);
    });
    expect(worst).toBeLessThan(1e-4);
  });

  it('lets the hand pull the body, which follows, and lets it go', async () => {
    const { page } = studio;
    await studio.pause(); // one that plays on is past its first frame before a busy page has seen it
    await page.locator('[data-action=restart]').click();
    await page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.scene!.first_frame);
    await page.keyboard.press('f');
    await studio.settle();
    // Where the ray through the middle of the body meets it.
    const held = await page.evaluate(async () => {
      const { viewport, session } = window.sinew;
      const body = viewport.body(0)!;
      const { centre, radiusM } = body.bounds();
      const pixel = viewport.pixelOf([centre.x, centre.y, centre.z]);
      const hit = await session.pick(viewport.rayThrough(pixel.x, pixel.y));
      return { vertex: body.vertexNear(hit!.at_rest), pixel, size: radiusM };
    });
    const box = (await page.locator('main').boundingBox())!;
    const from = { x: box.x + held.pixel.x, y: box.y + held.pixel.y };
    const place = () => page.evaluate((vertex) => window.sinew.viewport.body(0)!.vertexAt(vertex)!, held.vertex);
    const before = await place();
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.waitForTimeout(200);
    await page.mouse.move(from.x + 90, from.y - 60, { steps: 6 });
    await page.waitForFunction(() => document.querySelector('canvas')?.dataset.doing === 'pull');
    const target = await page.evaluate(
      ([x, y]) => {
        const { viewport } = window.sinew;
        return viewport.rayThrough(x!, y!);
      },
      [held.pixel.x + 90, held.pixel.y - 60],
    );
    for (let step = 0; step < 14; step++) {
      await page.keyboard.press('ArrowRight');
      await page.waitForTimeout(60);
    }
    await studio.settle();
    const after = await place();
    const awayFromRay = (at: number[]) => {
      const to = at.map((c, i) => c - target.origin[i]!);
      const along = to.reduce((sum, c, i) => sum + c * target.direction[i]!, 0);
      return Math.hypot(...to.map((c, i) => c - along * target.direction[i]!));
    };
    await page.mouse.up();
    expect(awayFromRay(before), 'the hand moved').toBeGreaterThan(0.1 * held.size);
    expect(awayFromRay(after), 'the held point is on its way to the hand').toBeLessThan(0.5 * awayFromRay(before));
  });

  it('says so when the server is gone', async () => {
    expect(studio.complaints).toEqual([]);
    studio.stopServer();
    await studio.page.waitForFunction(() => window.sinew.session.link === 'lost');
    await studio.page.getByText('Connection lost').waitFor();
  });
});
