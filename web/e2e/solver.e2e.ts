/** Workflow 4: the same body with any solver, material, pins and obstacles, and keys for what can be keyed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barOverGround } from './scenes';
import { Studio } from './studio';

const SCENE = barOverGround();

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
});
afterAll(async () => {
  await studio?.close();
});

const becomes = (path: string, value: unknown) => studio.becomes(path, value);

describe('a body', () => {
  const body = 'body.bar';

  it('changes its method, and the stage runs with it', async () => {
    const { page } = studio;
    await studio.select(body);
    const method = studio.field(`${body}.solver.kind`);
    for (const [kind, words] of [['shape_matching', /shape/i], ['fem', /fem|element/i], ['shape_matching', /shape/i]] as const) {
      if ((await method.inputValue()) !== kind) await method.selectOption(kind);
      await becomes(`${body}.solver.kind`, kind);
      await expect.poll(() => page.evaluate(() => window.sinew.session.scene!.bodies[0]!.solver), { timeout: 30_000 }).toMatch(words);
    }
    await page.waitForFunction(() => window.sinew.viewport.body(0)?.vertexAt(0));
    expect(await page.getByTestId('problem').count(), 'nothing went wrong').toBe(0);
  });

  it('takes a preset, numbers typed with units, and damping; each is one step that can be undone', async () => {
    const { page } = studio;
    const steps = await studio.steps();
    await studio.field(`${body}.material.preset`).selectOption('rubber');
    await becomes(`${body}.material.preset`, 'rubber');
    await studio.type(`${body}.material.young_pa`, '45 kPa');
    await becomes(`${body}.material.young_pa`, 45_000);
    await studio.type(`${body}.material.young_pa`, '*=2');
    await becomes(`${body}.material.young_pa`, 90_000);
    await studio.field(`${body}.material.damping`).selectOption('heavy');
    await becomes(`${body}.material.damping`, 'heavy');
    expect(await studio.steps()).toBe(steps + 4);
    for (let i = 0; i < 4; i++) await page.locator('[data-action=undo]').click();
    await expect.poll(() => studio.steps()).toBe(steps);
    await becomes(`${body}.material.young_pa`, undefined);
    for (let i = 0; i < 4; i++) await page.keyboard.press('Control+Shift+z');
    await becomes(`${body}.material.damping`, 'heavy');
    await becomes(`${body}.material.young_pa`, 90_000);
  });

  it('gives defaults back by a double-click on the name and by Backspace', async () => {
    const { page } = studio;
    const path = `${body}.material.young_pa`;
    const row = page.locator('.row[role=group]').filter({ has: studio.field(path) });
    await studio.step(() => row.locator('.label').dblclick());
    await becomes(path, undefined);
    await studio.step(() => studio.type(path, '60 kPa'));
    await becomes(path, 60_000);
    await studio.field(path).focus();
    await studio.step(() => page.keyboard.press('Backspace'));
    await becomes(path, undefined);
  });

  it('changes by a drag, which is one step, and Esc gives the old value back', async () => {
    const { page } = studio;
    const steps = await studio.steps();
    const path = `${body}.at[1]`;
    const before = (await studio.value(path)) as number;
    await studio.dragNumber(path, 40);
    await expect.poll(() => studio.value(path)).toBeGreaterThan(before);
    expect(await studio.steps()).toBe(steps + 1);
    const after = await studio.value(path);
    const { x, y } = await studio.middleOf(studio.field(path));
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y, { steps: 4 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await becomes(path, after);
    expect(await studio.steps()).toBe(steps + 1);
  });

  it('is pinned by a box, a lasso and a brush, where it is seen and nowhere else', async () => {
    const { page } = studio;
    await studio.leaveControls();
    await studio.pause();
    await page.waitForFunction(() => window.sinew.session.document!.building === null);
    await page.keyboard.press('Shift+ArrowLeft');
    await page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.transport!.recorded_from);
    await page.keyboard.press('f');
    await studio.settle();
    // The body's outline on screen.
    const outline = await page.evaluate(() => {
      const { viewport } = window.sinew;
      const shown = viewport.body(0)!;
      const spots = Array.from({ length: shown.model.skinVertexCount }, (_, i) => viewport.pixelOf(shown.vertexAt(i)!));
      const canvas = document.querySelector('main canvas')!.getBoundingClientRect();
      const [xs, ys] = [spots.map((spot) => spot.x + canvas.left), spots.map((spot) => spot.y + canvas.top)];
      return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), foot: Math.max(...ys), points: shown.model.pointCount };
    });
    const middle = (outline.left + outline.right) / 2;
    await page.locator('[data-action=tool-pin-box]').click();
    await page.mouse.move(outline.left - 12, outline.top - 12);
    await page.mouse.down();
    await page.mouse.move(middle - 20, outline.foot + 12, { steps: 5 });
    await page.mouse.up();
    await page.getByTestId('pin-said').waitFor();
    expect(await page.getByTestId('pin-said').textContent()).toMatch(/^\d+ points pinned$/);
    await expect.poll(() => studio.value(`${body}.sets.pin`)).toBeTruthy();
    await becomes(`${body}.director.pin.kind`, 'pin');
    const box = ((await studio.value(`${body}.sets.pin.vertices`)) as number[]).length;
    expect(box).toBeGreaterThan(2);
    expect(box, 'the far side is hidden').toBeLessThan(0.5 * outline.points);
    expect(await page.evaluate(() => window.sinew.studio.selection)).toBe(`${body}.director.pin`);
    // More of it with a lasso around the right end, Shift held.
    await page.keyboard.press('o');
    await page.keyboard.down('Shift');
    await page.mouse.move(outline.right + 14, outline.top - 14);
    await page.mouse.down();
    for (const [x, y] of [[outline.right - 60, outline.top - 14], [outline.right - 60, outline.foot + 14], [outline.right + 14, outline.foot + 14]] as const) {
      await page.mouse.move(x, y, { steps: 4 });
    }
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await expect.poll(async () => ((await studio.value(`${body}.sets.pin.vertices`)) as number[]).length).toBeGreaterThan(box);
    const both = ((await studio.value(`${body}.sets.pin.vertices`)) as number[]).length;
    // Some of it away with the brush, Ctrl held.
    await page.keyboard.press('p');
    await page.keyboard.down('Control');
    await page.mouse.move(outline.right - 20, (outline.top + outline.foot) / 2);
    await page.mouse.down();
    await page.mouse.move(outline.right - 50, (outline.top + outline.foot) / 2, { steps: 6 });
    await page.mouse.up();
    await page.keyboard.up('Control');
    await expect.poll(async () => ((await studio.value(`${body}.sets.pin.vertices`)) as number[]).length).toBeLessThan(both);
    await page.keyboard.press('q');
    // It holds: what is pinned does not fall.
    const numbers = (await studio.value(`${body}.sets.pin.vertices`)) as number[];
    const heights = () => page.evaluate((wanted) => {
      const { model, fleshNow } = window.sinew.viewport.body(0)!;
      const points = [...model.numbers].flatMap((number, point) => (wanted.includes(number) ? [point] : []));
      return points.map((point) => fleshNow!.positions[3 * point + 1]! + fleshNow!.origin[1]);
    }, numbers);
    await page.waitForFunction(() => window.sinew.session.document!.building === null && window.sinew.viewport.body(0)?.vertexAt(0));
    await page.locator('[data-action=restart]').click();
    await page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.scene!.first_frame);
    const atFirst = await heights();
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.sinew.session.frame > window.sinew.session.scene!.first_frame + 12, null, { timeout: 60_000 });
    await studio.pause();
    const later = await heights();
    expect(Math.max(...later.map((height, i) => Math.abs(height - atFirst[i]!)))).toBeLessThan(1e-4);
  });
});

describe('obstacles and keys', () => {
  it('adds a ball from the menu, keys its place by the diamond and a right-click, and moves the keys', async () => {
    const { page } = studio;
    await studio.leaveControls();
    await page.keyboard.press('Shift+ArrowLeft');
    await studio.settle();
    await page.locator('[data-action=add]').click();
    await page.getByRole('menuitem', { name: 'Sphere' }).click();
    await expect.poll(() => studio.value('obstacle.sphere.shape')).toBe('sphere');
    await page.waitForFunction(() => window.sinew.session.scene!.obstacles.some((obstacle) => obstacle.path === 'obstacle.sphere'));
    await studio.type('obstacle.sphere.radius', '12cm');
    await becomes('obstacle.sphere.radius', 0.12);
    const first = await studio.frame();
    await page.locator('[data-key="obstacle.sphere.at"]').click();
    await expect.poll(async () => JSON.stringify(await studio.value('obstacle.sphere.at[0]'))).toContain(`[[${first}`);
    // Another frame, another place: a keyed value that is changed is keyed there.
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to >= window.sinew.session.scene!.first_frame);
    await studio.leaveControls();
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
    await page.waitForFunction((frame) => window.sinew.session.frame === frame, first + 6);
    await studio.type('obstacle.sphere.at[1]', '+=1/2');
    await expect.poll(async () => ((await studio.value('obstacle.sphere.at[1]')) as unknown[]).length).toBe(2);
    // Roughness by right-click.
    await studio.field('obstacle.sphere.friction').click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Key at frame/ }).click();
    await expect.poll(async () => Array.isArray(await studio.value('obstacle.sphere.friction'))).toBe(true);
    // The keys stand in the dope sheet; dragging one moves it, in one step.
    await page.getByRole('button', { name: 'Position y' }).waitFor();
    const steps = await studio.steps();
    const spot = await page.evaluate((frame) => {
      const canvas = document.querySelector<HTMLElement>('.timeline canvas')!.getBoundingClientRect();
      const names = [...document.querySelectorAll('.names .row')];
      const row = names.findIndex((name) => name.textContent!.includes('Position y'));
      const { first_frame, last_frame } = window.sinew.session.scene!;
      const x = (at: number) => canvas.left + 16 + ((at - first_frame) / (last_frame - first_frame)) * (canvas.width - 32);
      const y = names[row]!.getBoundingClientRect();
      return { x: x(frame), to: x(frame + 8), y: y.top + y.height / 2 };
    }, first + 6);
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.move(spot.to, spot.y, { steps: 6 });
    await page.mouse.up();
    await expect.poll(async () => ((await studio.value('obstacle.sphere.at[1]')) as number[][])[1]![0]).toBe(first + 14);
    expect(await studio.steps()).toBe(steps + 1);
    // A box chooses it with its neighbours, Delete deletes.
    await page.mouse.move(spot.x - 30, spot.y - 9);
    await page.mouse.down();
    await page.mouse.move(spot.to + 30, spot.y + 9, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.press('Delete');
    await expect.poll(async () => ((await studio.value('obstacle.sphere.at[1]')) as number[][]).length).toBe(1);
  });

  it('shows what is wrong where it is wrong', async () => {
    const { page } = studio;
    await page.evaluate(() => window.sinew.session.edit({ do: 'set', path: 'obstacle.sphere.radius', value: -1 }));
    await page.getByTestId('problem').waitFor();
    expect(await page.getByTestId('problem').textContent()).toMatch(/radius|least|1e-6|0\.000001/i);
    await becomes('obstacle.sphere.radius', 0.12);
    await page.getByRole('button', { name: 'Put the message away' }).click();
  });

  it('has no serious accessibility faults with any kind of thing selected', async () => {
    for (const path of ['scene', 'camera', 'light', 'obstacle.sphere']) {
      await studio.select(path);
      expect(await studio.faults(), path).toEqual([]);
    }
    expect(studio.complaints).toEqual([]);
  });
});
