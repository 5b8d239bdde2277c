/** The Metaphors workspace with mouse and keys: a place is picked, a metaphor put there, sized by hand, shaped over time and previewed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Eyes } from './eyes';
import { farthest, type Spot, Studio } from './studio';

/** Two cylinders that lie still; the first is bent beside its axis, unbalanced. */
const SCENE = `sinew = 1
[scene]
frames = [1, 72]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "left"
skin = { model = "cylinder", radius = 0.12, height = 1.0 }
turn = [0.0, 0.0, 90.0]
material = { preset = "rubber", young_pa = 2.0e5, damping = "heavy" }
flesh = { kind = "tets", vertices = 300 }
solver = { kind = "fem" }
[[body.director]]
name = "nod"
kind = "metaphor"
at = [0.0, 0.15, 0.0]
along = [0.0, 1.0, 0.0]
up = [1.0, 0.0, 0.0]
act = { bend = { arm = 0.42, radius = 0.17 } }
newton = { keys = [[1, 0.0], [20, 300.0], [40, 300.0], [50, 0.0]], outside = "zero" }
balanced = false
[[body]]
name = "right"
at = [0.0, -0.5, 0.0]
skin = { model = "cylinder", radius = 0.06, height = 0.5 }
turn = [0.0, 0.0, 90.0]
material = { preset = "rubber", young_pa = 2.0e5, damping = "heavy" }
flesh = { kind = "tets", vertices = 150 }
solver = { kind = "fem" }
[camera]
eye = [0.0, 0.4, 2.2]
look_at = [0.0, -0.1, 0.0]
`;
const NOD = 'body.left.director.nod';
/** The preview yields to everything else: at a load of eight its ghosts take minutes. */
const GHOSTS_MS = 400_000;

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ text: SCENE });
  await studio.pause();
  await studio.page.keyboard.press('Alt+3');
  await studio.page.getByRole('complementary', { name: 'Metaphors' }).waitFor();
});
afterAll(() => studio?.close());

const row = (name: string) => studio.page.locator(`[data-metaphor="${name}"]`);
const names = (): Promise<string[]> => studio.page.locator('[data-metaphor]').evaluateAll((rows) => rows.map((each) => (each as HTMLElement).dataset.metaphor!));
/** How many points are highlighted, by region. */
const points = async (): Promise<number[]> => ((await studio.page.getByTestId('widgets').getAttribute('data-points')) ?? '').split(' ').map(Number);
const handle = async (id: string): Promise<Spot> => {
  const box = (await studio.page.locator(`[data-handle="widget-${id}"]`).boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};
/** Stands at a frame; what an edit before made stale is simulated again first. */
async function at(frame: number): Promise<void> {
  const there = (): Promise<number[]> => studio.page.evaluate(() => [window.sinew.session.transport!.frame, window.sinew.session.transport!.shown, window.sinew.session.pictured]);
  await expect.poll(async () => {
    if (!(await isWhole())) await playThrough();
    await studio.page.evaluate((to) => window.sinew.session.send({ do: 'seek', frame: to }), frame);
    await studio.settle();
    return there();
  }, { message: `the playhead, the shown frame and the picture at ${frame}`, timeout: 120_000 }).toEqual([frame, frame, frame]);
}
/** Whether the whole shot is simulated, by the scene as it is. */
const isWhole = (): Promise<boolean> => studio.page.evaluate(() => {
  const { transport, scene } = window.sinew.session;
  return transport!.recorded_to >= scene!.last_frame && (transport!.stale_from === null || transport!.stale_from > scene!.last_frame);
});
/** Plays until the whole shot is simulated, then stands. An edit that reaches the stage meanwhile begins it anew. */
async function playThrough(): Promise<void> {
  do {
    await studio.play();
    await expect.poll(isWhole, { timeout: 120_000 }).toBe(true);
    await studio.pause();
  } while (!(await isWhole()));
}

describe('the Metaphors workspace', () => {
  it('lists the metaphors of a body and shows regions, points and handles of the selected one', async () => {
    expect(await names()).toEqual(['nod']);
    await row('nod').locator('.row').click();
    await expect.poll(points).toHaveLength(3);
    for (const many of await points()) expect(many).toBeGreaterThan(10);
    expect(await studio.page.getByTestId('nodes-inside').textContent()).toMatch(/^\d+ of \d+$/);
    for (const id of ['arm', 'radius', 'pivot_radius', 'move', 'up', 'along']) await studio.page.locator(`[data-handle="widget-${id}"]`).waitFor({ state: 'attached' });
    expect(await studio.page.locator('.label').first().textContent()).toMatch(/^A base · \d+$/);
  });

  it('warns beside the list and puts it right with one click', async () => {
    const warning = studio.page.locator('.panel .warning');
    await warning.waitFor();
    expect(await warning.textContent()).toContain('nod');
    await studio.step(() => warning.getByRole('button', { name: 'Balance it' }).click());
    await studio.becomes(`${NOD}.balanced`, true);
    await warning.waitFor({ state: 'detached' });
  });

  it('measures what comes of the force, and agrees with the stage about where its regions are', async () => {
    await playThrough();
    await at(30);
    const seen = await studio.page.evaluate(() => {
      const { selected } = window.sinew.own.metaphors.widgets.drawn!;
      const { frame, places } = selected!;
      // The middle of each region in the widget's frame.
      const local = places.map((all) => {
        const sum = [0, 0, 0];
        for (const p of all) {
          const from = p.map((c, i) => c - frame.at[i]!);
          [frame.x, frame.y, frame.z].forEach((axis, i) => (sum[i]! += axis.reduce((dot, c, k) => dot + c * from[k]!, 0) / all.length));
        }
        return sum;
      });
      const [a, b, pivot] = local as [number[], number[], number[]];
      const angle = Math.atan2(a[1]! - pivot[1]!, -(a[0]! - pivot[0]!)) + Math.atan2(b[1]! - pivot[1]!, b[0]! - pivot[0]!);
      const told = window.sinew.session.transport!.measures.find(({ director, name }) => director === 'nod' && name === 'bend')!.value;
      return { deg: (angle * 180) / Math.PI, told };
    });
    expect(seen.told).toBeGreaterThan(3);
    expect(Math.abs(seen.deg - seen.told), `${seen.deg}° here, ${seen.told}° on the stage`).toBeLessThan(1.5 + 0.1 * seen.told);
    expect(await studio.page.getByTestId('measured-nod').textContent()).toBe(`${seen.told.toFixed(1)}°`);
    expect(await studio.page.getByTestId('angle').textContent()).toBe(`${seen.told.toFixed(1)}°`);
    const known = await studio.page.evaluate(() => window.sinew.session.measured.series(0, 'nod', 'bend').length);
    expect(known).toBeGreaterThan(30);
    expect(await studio.page.getByTestId('overshoot').textContent()).toMatch(/%$/);
  });

  it('draws forces in orange where they push, and none where they do not', async () => {
    const eyes = await Eyes.of(studio.page);
    const orange = async (): Promise<number> => {
      const middle = await studio.middleOfBody(0);
      const { data } = await eyes.region({ x: middle.x - 220, y: middle.y - 110, width: 440, height: 220 });
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i]! > 230 && Math.abs(data[i + 1]! - 159) < 30 && data[i + 2]! < 110) count += 1;
      return count;
    };
    await at(30);
    const pushed = await orange();
    await at(60);
    expect(await orange()).toBeLessThan(0.1 * pushed);
    expect(pushed).toBeGreaterThan(150);
  });

  it('sizes regions by their handles: one step a drag, and Esc gives it back', async () => {
    await at(1);
    const before = (await points())[0]!;
    const from = await handle('radius');
    await studio.step(() => studio.drag(from, { x: from.x, y: from.y + 15 }));
    const radius = (await studio.value(`${NOD}.act.bend.radius`)) as number;
    expect(radius).not.toBe(0.17);
    await expect.poll(async () => (await points())[0]).not.toBe(before);
    const arm = await handle('arm');
    await studio.page.mouse.move(arm.x, arm.y);
    await studio.page.mouse.down();
    await studio.page.mouse.move(arm.x - 30, arm.y, { steps: 5 });
    await expect.poll(() => studio.value(`${NOD}.act.bend.arm`)).not.toBe(0.42);
    await studio.page.keyboard.press('Escape');
    await studio.page.mouse.up();
    await studio.becomes(`${NOD}.act.bend.arm`, 0.42);
    await studio.step(() => studio.type(`${NOD}.act.bend.arm`, '0.32'));
    await studio.becomes(`${NOD}.act.bend.arm`, 0.32);
  });

  it('moves the widget along the skin and turns it', async () => {
    const from = await handle('move');
    await studio.step(() => studio.drag(from, { x: from.x + 40, y: from.y }));
    const [, y] = (await studio.value(`${NOD}.at`)) as number[];
    expect(y, 'along the cylinder').not.toBeCloseTo(0.15, 2);
    const up = await handle('up');
    await studio.step(() => studio.drag(up, { x: up.x + 3, y: up.y + 60 }));
    expect(await studio.value(`${NOD}.up`)).not.toEqual([1, 0, 0]);
    const along = await handle('along');
    await studio.step(() => studio.drag(along, { x: along.x, y: along.y + 25 }));
    expect(await studio.value(`${NOD}.along`)).not.toEqual([0, 1, 0]);
    for (let i = 0; i < 3; i++) {
      const left = await studio.steps();
      await studio.page.keyboard.press('Control+z');
      await studio.page.waitForFunction((count) => window.sinew.session.document!.undo.length === count, left - 1);
    }
    await studio.becomes(`${NOD}.along`, [0, 1, 0]);
  });

  it('picks a place on the skin and puts a twist there, sized to the limb', async () => {
    const { page } = studio;
    await page.keyboard.press('v');
    const middle = await studio.middleOfBody(0);
    await page.mouse.click(middle.x + 90, middle.y);
    await page.getByRole('button', { name: 'Add a metaphor here' }).click();
    await studio.step(() => page.getByRole('menuitem', { name: 'Twist' }).click());
    await expect.poll(names).toEqual(['nod', 'twist']);
    expect(await page.evaluate(() => window.sinew.studio.selection)).toBe('body.left.director.twist');
    const { act, along } = (await studio.value('body.left.director.twist')) as { act: { twist: { radius: number; far: number } }; along: number[] };
    expect(Math.abs(along[1]!), 'along the cylinder').toBeGreaterThan(0.98);
    expect(act.twist.radius).toBeGreaterThan(0.1);
    expect(act.twist.radius).toBeLessThan(0.2);
    await expect.poll(async () => Math.min(...(await points()))).toBeGreaterThan(5);
    // What was put does something that is seen.
    await playThrough();
    const most = await page.evaluate(() => Math.max(...window.sinew.session.measured.series(0, 'twist', 'twist').map(([, value]) => Math.abs(value))));
    expect(most).toBeGreaterThan(3);
    expect(most).toBeLessThan(90);
  });

  it('puts a bend with one key and a click', async () => {
    const { page } = studio;
    await page.keyboard.press('1');
    const middle = await studio.middleOfBody(1);
    await studio.step(() => page.mouse.click(middle.x, middle.y));
    await expect.poll(names).toEqual(['bend']);
    expect(await page.evaluate(() => window.sinew.studio.tool)).toBe('pick');
    await studio.step(() => page.keyboard.press('m'));
    await studio.becomes('body.right.director.bend.mute', true);
  });

  it('mutes, solos, moves, renames, mirrors, copies and deletes in the list', async () => {
    const { page } = studio;
    await studio.select('body.left');
    await row('twist').locator('.row').click();
    await studio.step(() => page.keyboard.press('s'));
    await studio.becomes(`${NOD}.mute`, true);
    await studio.step(() => row('twist').locator('.solo').click());
    await expect.poll(async () => (await studio.value(`${NOD}.mute`)) ?? false).toBe(false);
    await row('twist').locator('.row').click();
    await studio.step(() => page.keyboard.press('Alt+ArrowUp'));
    await expect.poll(names).toEqual(['twist', 'nod']);
    await row('twist').locator('.row').focus();
    await page.keyboard.press('F2');
    await studio.step(() => page.keyboard.type('wring').then(() => page.keyboard.press('Enter')));
    await expect.poll(names).toEqual(['wring', 'nod']);
    await row('wring').locator('.row').click({ button: 'right' });
    await studio.step(() => page.getByRole('menuitem', { name: 'Mirror across y' }).click());
    await expect.poll(names).toEqual(['wring', 'nod', 'wring-2']);
    const [one, two] = [await studio.value('body.left.director.wring'), await studio.value('body.left.director.wring-2')] as { at: number[]; newton: { keys: number[][] } }[];
    expect(two!.at[1]).toBeCloseTo(-one!.at[1]!, 2);
    expect(two!.newton.keys[1]![1]).toBeCloseTo(-one!.newton.keys[1]![1]!);
    await row('wring-2').locator('.row').click();
    await studio.step(() => page.keyboard.press('Delete'));
    await expect.poll(names).toEqual(['wring', 'nod']);
    await row('wring').locator('.row').click({ button: 'right' });
    await studio.step(() => page.getByRole('menuitem', { name: 'Copy to right' }).click());
    await expect.poll(names).toEqual(['bend', 'wring']);
    const copy = (await studio.value('body.right.director.wring.act.twist.radius')) as number;
    const was = (await studio.value('body.left.director.wring.act.twist.radius')) as number;
    expect(copy / was, 'half as large a body').toBeCloseTo(0.5, 1);
  });

  it('shapes the force in the dock, under what came of it', async () => {
    const { page } = studio;
    await studio.select('body.left');
    await row('nod').locator('.row').click();
    await page.getByRole('button', { name: 'Show curve' }).click();
    await page.getByRole('list', { name: 'Lines' }).getByText('Measured angle').waitFor();
    const plot = page.getByRole('listbox', { name: 'Points of Force' });
    await plot.click({ position: { x: 60, y: 60 } });
    await plot.focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    await studio.type('key-value', '200');
    await expect.poll(async () => JSON.stringify(await studio.value(`${NOD}.newton`))).toContain('200');
    await studio.leaveControls();
    await page.keyboard.press('Alt+d');
    await page.getByTitle(`Select ${NOD}`).first().waitFor();
    await page.keyboard.press('Alt+c');
  });

  it('keeps what came of it as a take, and shows it beside the next, without leaving', async () => {
    const { page } = studio;
    await page.getByRole('button', { name: 'Keep this run as a take' }).click();
    await page.getByRole('textbox', { name: 'Name of the take' }).fill('first-try');
    await page.keyboard.press('Enter');
    await page.locator('[data-take="first-try"]').click();
    await expect.poll(() => page.evaluate(() => window.sinew.session.takes.shown)).toBe('first-try');
    expect(await page.evaluate(() => window.sinew.studio.workspace)).toBe('metaphors');
    await page.getByRole('list', { name: 'Takes' }).getByRole('button', { name: 'Live' }).click();
    await expect.poll(() => page.evaluate(() => window.sinew.session.takes.shown)).toBe(null);
    await studio.leaveControls();
  });

  it('shows ghosts of what comes next, which follow the hand', async () => {
    const { page } = studio;
    await at(1);
    await studio.leaveControls();
    await page.keyboard.press('p');
    await page.waitForFunction(() => window.sinew.own.metaphors.ghosts.count === 6, null, { timeout: GHOSTS_MS });
    const was = await studio.lastGhost();
    await row('nod').locator('.row').click();
    await studio.type(`${NOD}.act.bend.arm`, '0.2');
    await expect.poll(async () => farthest(await studio.lastGhost(), was), { message: 'ghosts of the scene as it is now', timeout: GHOSTS_MS }).toBeGreaterThan(1e-4);
    await studio.leaveControls();
    await page.keyboard.press('Alt+1');
    await page.keyboard.press('Shift+P');
    await page.waitForFunction(() => window.sinew.own.metaphors.ghosts.count === 0);
    await page.keyboard.press('Alt+3');
  }, 4 * GHOSTS_MS);

  it('finds the force for a goal, and meets it', async () => {
    const { page } = studio;
    await studio.select('body.left');
    for (const name of await names()) if (name !== 'nod') await studio.step(() => row(name).locator('.flag').first().click());
    await row('nod').locator('.row').click();
    await studio.step(() => studio.field(`${NOD}.by`).getByRole('radio', { name: 'Goal' }).click());
    await studio.type(`${NOD}.goal.amount`, '20');
    await studio.type(`${NOD}.goal.at`, '30');
    await studio.becomes(`${NOD}.goal.at`, 30);
    // A goal that nobody has solved is told beside the list, with a button that does.
    const unsolved = page.getByRole('status').filter({ hasText: 'not solved' });
    await unsolved.waitFor();
    await studio.step(() => unsolved.getByRole('button', { name: 'Solve' }).click());
    await unsolved.waitFor({ state: 'detached' });
    expect((await studio.undos()).at(-1)).toContain('goal of body.left.director.nod');
    await studio.toFirst();
    await playThrough();
    await at(30);
    const told = await page.evaluate(() => window.sinew.session.transport!.measures.find(({ director, name }) => director === 'nod' && name === 'bend')!.value);
    expect(Math.abs(told - 20)).toBeLessThan(0.4);
    expect(await page.getByTestId('solved').textContent()).toMatch(/^Solved, [01]\.\d % off$/);
    await page.getByRole('list', { name: 'Lines' }).getByText('Wanted angle').waitFor();
    // The solved force ends with the shot, and stands under the ruler frame for frame.
    const [first, last] = await page.evaluate(() => [window.sinew.session.scene!.first_frame, window.sinew.session.scene!.last_frame]);
    expect(await page.getByTestId('plot').getAttribute('data-frames')).toBe(`${first} ${last}`);
    const solved = (await studio.value(`${NOD}.newton`)) as unknown as { keys: [number, number][] };
    expect(solved.keys.at(-1)![0]).toBeLessThanOrEqual(last!);
    // Another force is not what was played.
    await studio.step(() => page.evaluate(({ path, value }) => window.sinew.session.edit({ do: 'set', path, value }), { path: `${NOD}.newton`, value: { ...solved, keys: solved.keys.map(([frame, newton]) => [frame, newton / 2]) } }));
    await expect.poll(() => page.getByTestId('solved').textContent()).toBe('Changed since it was played');
    const stale = page.getByRole('status').filter({ hasText: 'found for another scene' });
    await stale.waitFor();
    await studio.leaveControls();
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.getByTestId('solved').textContent()).toMatch(/^Solved/);
    await stale.waitFor({ state: 'detached' });
    // The other way: no outer force, and a search only for what stops it in time.
    await studio.step(() => studio.field(`${NOD}.goal.by`).getByRole('radio', { name: 'From inside' }).click());
    await studio.becomes(`${NOD}.goal.by`, 'inside');
    await studio.step(() => page.locator('[data-action=solve]').click());
    expect(((await studio.value(`${NOD}.contraction`)) as unknown as { keys: [number, number][] }).keys.length).toBeGreaterThan(5);
    await page.getByRole('button', { name: 'Show curve' }).click();
    await page.getByRole('list', { name: 'Lines' }).getByText('Rest angle').waitFor();
  });

  it('can be used without a mouse and read aloud', async () => {
    expect(await studio.faults()).toEqual([]);
    expect(studio.complaints).toEqual([]);
  });
});
