/** Workflow 5, across all the others: fifty steps of every kind in one session, taken back and done again to the same bytes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenBall } from './brokenBall';
import { place, slideTo } from './painting';
import { Studio } from './studio';

const STEPS = 50;
let studio: Studio;
let body = '';
let file = '';
/** The scene's text and what is seen of it, at the start and after all steps. */
let [start, end] = ['', ''];
let [startSeen, endSeen] = [[''], ['']];

beforeAll(async () => {
  studio = await Studio.open({ scene: 'bar-rest' });
});
afterAll(async () => {
  await studio?.close();
});

const press = (key: string) => studio.page.keyboard.press(key);
const step = (act: () => Promise<unknown>) => studio.step(act);
const count = () => studio.steps();

/** The text on disk once the scene is saved as it is now. */
async function saved(): Promise<string> {
  await press('Control+s');
  await studio.page.getByTestId('unsaved').waitFor({ state: 'detached' });
  return readFileSync(join(studio.folder, file), 'utf8');
}

/** What the page says: every row of the outliner and every value of the body's inspector. */
async function seen(): Promise<string[]> {
  await studio.built();
  await press('Alt+1');
  await studio.select(body);
  await studio.drawn();
  const shown = studio.page.locator('[role=treeitem], div.right [data-field]');
  return shown.evaluateAll((all) => all.map((each) => `${each.getAttribute('data-field') ?? ''} ${each instanceof HTMLSelectElement ? each.value : each.textContent}`));
}

/** Chooses something of the menu behind a plus. */
async function add(button: string, name: string): Promise<void> {
  await studio.page.locator(`[data-action=${button}]`).click();
  await studio.page.getByRole('menuitem', { name, exact: true }).click();
}

/** Moves or turns the selected with keys and numbers. */
async function put(mode: 'g' | 'r', amount: string): Promise<void> {
  await press(mode);
  await studio.page.keyboard.type(amount);
  await press('Enter');
}

describe('one session', () => {
  it('begins with a mesh that is dropped, and gives it a material and a place', async () => {
    const { page } = studio;
    await studio.drop('ball.obj', brokenBall());
    await studio.brought();
    await studio.built();
    await studio.pause();
    body = await page.evaluate(() => window.sinew.session.scene!.bodies[0]!.path);
    file = (await page.evaluate(() => window.sinew.session.document!.file))!;
    expect(await studio.undos()).toEqual([]);
    start = readFileSync(join(studio.folder, file), 'utf8');
    startSeen = await seen();
    await step(() => studio.field(`${body}.material.preset`).selectOption('rubber'));
    await step(() => studio.type(`${body}.at[1]`, '60cm'));
    await step(() => studio.type(`${body}.material.young_pa`, '45 kPa'));
    await step(() => studio.field(`${body}.material.damping`).selectOption('heavy'));
    expect(await count()).toBe(4);
  });

  it('paints a muscle: layers, a section, directions, amplitude, phase and stiffness', async () => {
    const { page } = studio;
    await press('Alt+2');
    await step(() => page.locator('[data-action=add-muscle-left]').click());
    await studio.toFirst();
    await press('Home');
    await studio.settle();
    const at = (dx: number, dy: number) => place(studio, { on: 'skin', near: [dx, dy] });
    const stroke = async (dx: number, dy: number): Promise<void> => {
      const from = await at(dx, dy);
      await studio.drag(from, { x: from.x + 40, y: from.y + 8 });
    };
    await page.locator('button[data-field=layer]').click();
    for (const [key, share] of [['1', 0], ['2', 1]] as const) {
      await studio.leaveControls();
      await press(key);
      await slideTo(studio, share);
      const spot = await at(0, 20);
      await step(() => page.mouse.click(spot.x, spot.y));
    }
    await press('3');
    await step(() => stroke(-40, 20));
    await page.locator('[data-act="2"]').click();
    await page.locator('[data-field=act-value]').click();
    await page.keyboard.type('0.4');
    await step(() => press('Enter'));
    await page.locator('[data-act="2"]').focus();
    await step(() => press('Alt+ArrowUp'));
    // On a section, which is no step by itself.
    await studio.leaveControls();
    await page.locator('[data-field=cut-view]').click();
    await page.waitForFunction(() => (window.sinew.viewport.fields.section.section?.triangles.length ?? 0) > 0);
    await studio.drawn();
    const inside = await place(studio, { on: 'section', near: [0, 40] });
    await press('3');
    await step(() => studio.drag(inside, { x: inside.x + 30, y: inside.y + 6 }));
    await page.locator('[data-field=cut-view]').click();
    await page.waitForFunction(() => window.sinew.viewport.fields.section.section === null);
    await studio.leaveControls();
    await press('e');
    const paint = await at(-40, 20);
    await step(() => page.mouse.click(paint.x, paint.y));
    await press('d');
    await step(() => stroke(-20, 30));
    for (const field of ['amplitude', 'phase', 'stiffness']) {
      await page.locator(`button[data-field=${field}]`).click();
      await studio.leaveControls();
      await press('3');
      await step(() => stroke(-30, 20));
    }
    expect(await count()).toBe(16);
  });

  it('edits its charts while it plays', async () => {
    const { page } = studio;
    const muscle = `${body}.director.muscle`;
    await page.locator('button[data-field=layer]').click();
    await studio.leaveControls();
    await press('q');
    await studio.play();
    const plot = page.locator('[data-chart=primary] [role=listbox]');
    const box = (await plot.boundingBox())!;
    await step(() => page.mouse.click(box.x + 40 + 0.85 * (box.width - 54), box.y + 14 + 0.5 * (box.height - 46)));
    await step(async () => {
      await plot.focus();
      await press('Shift+ArrowDown');
    });
    await page.locator('[data-field=point-rate]').click();
    await page.keyboard.type('0.9');
    await step(() => press('Enter'));
    await plot.focus();
    await step(() => press('Delete'));
    await step(() => page.getByRole('radio', { name: 'Second', exact: true }).click());
    await step(() => studio.dragNumber(`${muscle}.period`, 30));
    await studio.leaveControls();
    await studio.pause();
    expect(await count()).toBe(22);
  });

  it('changes the solver and pins it with box, lasso and brush', async () => {
    const { page } = studio;
    await press('Alt+1');
    await studio.select(body);
    await step(async () => studio.field(`${body}.solver.kind`).selectOption((await studio.value(`${body}.solver.kind`)) === 'fem' ? 'shape_matching' : 'fem'));
    await studio.toFirst();
    await press('Home');
    await studio.settle();
    const { x, y } = await studio.middleOfBody();
    await press('b');
    await step(() => studio.drag({ x: x - 60, y: y - 120 }, { x: x + 120, y: y + 60 }));
    await studio.toFirst();
    await press('o');
    await page.keyboard.down('Shift');
    await step(async () => {
      await page.mouse.move(x - 180, y - 90);
      await page.mouse.down();
      for (const [dx, dy] of [[-60, -90], [-60, 90], [-180, 90]] as const) await page.mouse.move(x + dx, y + dy, { steps: 4 });
      await page.mouse.up();
    });
    await page.keyboard.up('Shift');
    await studio.toFirst();
    await press('p');
    await page.keyboard.down('Control');
    await step(() => studio.drag({ x, y: y - 20 }, { x: x + 40, y: y - 20 }));
    await page.keyboard.up('Control');
    await press('q');
    await step(async () => {
      await page.locator(`[data-key="${body}.director.pin.weight"]`).click();
    });
    expect(await count()).toBe(27);
  });

  it('adds things, places, keys, names, mutes and deletes them', async () => {
    const { page } = studio;
    await studio.toFirst();
    await step(() => add('add', 'Sphere'));
    await step(() => studio.type('obstacle.sphere.radius', '15cm'));
    await studio.built();
    await step(() => page.locator('[data-key="obstacle.sphere.at"]').click());
    await studio.built();
    await studio.leaveControls();
    await studio.pause();
    for (let i = 0; i < 4; i++) await press('ArrowRight');
    await studio.settle();
    await step(() => put('g', 'x.3'));
    await studio.built();
    await step(() => put('r', 'y30'));
    await studio.built();
    await studio.field('obstacle.sphere.friction').click({ button: 'right' });
    await step(() => page.getByRole('menuitem', { name: /^Key at frame/ }).click());
    await studio.leaveControls();
    await press('F2');
    await page.keyboard.type('moon');
    await step(() => press('Enter'));
    await step(() => add('add', 'Box'));
    await step(() => studio.type('obstacle.box.at[1]', '+=1/2'));
    await studio.leaveControls();
    await step(() => press('x'));
    await step(() => add('add', 'Capsule'));
    await studio.built();
    await studio.select(body);
    await step(() => add('add-director', 'Force'));
    await step(() => studio.type(`${body}.director.force.newton[1]`, '5'));
    await step(() => page.locator('[role=treeitem][aria-selected=true] .mute').click());
    expect(await count()).toBe(41);
  });

  it('keys the camera, sets light and scene, and keeps a take, which is no step', async () => {
    const { page } = studio;
    await studio.select('camera');
    await step(() => page.locator('[data-key="camera.eye"]').click());
    await studio.select('light');
    await step(() => studio.type('light.strength', '1.3'));
    await step(() => studio.dragNumber('light.ambient', 24));
    await studio.select('scene');
    await step(() => studio.type('scene.frames[1]', '60'));
    await step(() => studio.type('scene.substeps', '+=1'));
    await studio.leaveControls();
    await studio.play();
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to > 3, null, { timeout: 60_000 });
    await studio.pause();
    await page.locator('[data-action=keep-take]').click();
    await page.getByRole('textbox', { name: 'Name of the take' }).fill('midway');
    await press('Enter');
    await page.waitForFunction(() => window.sinew.session.takes.names.some(({ name }) => name === 'midway'));
    await studio.select(body);
    await step(() => studio.field(`${body}.at[0]`).press('ArrowUp'));
    await step(() => studio.type(`${body}.velocity[2]`, '1/4'));
    await step(() => studio.type(`${body}.turn[1]`, '15'));
    await step(() => studio.type(`${body}.scale`, '*=1.1'));
    expect(await count()).toBe(STEPS);
    await studio.leaveControls();
    end = await saved();
    expect(end).not.toBe(start);
    endSeen = await seen();
    expect(endSeen.length).toBeGreaterThan(startSeen.length);
  });

  /** Presses a key as often as there are steps; the other list then holds them all. */
  async function go(key: string, fills: 'undo' | 'redo'): Promise<void> {
    await studio.leaveControls();
    for (let i = 0; i < STEPS; i++) await press(key);
    await studio.page.waitForFunction(
      ([list, wanted]) => window.sinew.session.document![list as 'undo' | 'redo'].length === wanted, [fills, STEPS] as const, { timeout: 120_000 },
    );
    await studio.built();
  }

  it('goes back to the bytes it began with, and the page shows it', async () => {
    await go('Control+z', 'redo');
    expect(await saved()).toBe(start);
    expect(await studio.page.locator('[data-action=undo]').isDisabled(), 'nothing is left to undo').toBe(true);
    await expect.poll(seen).toEqual(startSeen);
  });

  it('comes forward again to the bytes it ended with, twice', async () => {
    await go('Control+Shift+z', 'undo');
    expect(await saved()).toBe(end);
    await expect.poll(seen).toEqual(endSeen);
    await go('Control+z', 'redo');
    await go('Control+y', 'undo');
    expect(await saved()).toBe(end);
    expect(await studio.page.getByTestId('problem').count(), 'nothing went wrong').toBe(0);
    expect(studio.complaints).toEqual([]);
  });
});
