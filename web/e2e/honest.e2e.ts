/** What one sees is what is there: failed builds, empty scenes, refused files, pins, and numbers that make no sense. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Studio } from './studio';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open({ scene: 'bar-rest' });
  await studio.pause();
});
afterAll(() => studio?.close());

const bodyPath = (): Promise<string> => studio.page.evaluate(() => window.sinew.studio.bodyPath!);
const bodyIsDrawn = (): Promise<boolean> => studio.page.evaluate(() => window.sinew.viewport.body(0)!.mesh.visible);

describe('the stage', () => {
  it('shows that the only body is gone, and shows it again when that is undone', async () => {
    const { page } = studio;
    const path = await bodyPath();
    await studio.select(path);
    await page.keyboard.press('Delete');
    await page.getByTestId('not-shown').waitFor();
    expect(await page.getByTestId('not-shown').textContent()).toContain('no body');
    await page.keyboard.press('Shift+A');
    expect(await page.getByRole('region', { name: 'In it' }).textContent()).toMatch(/Bodies\s*0/);
    await expect.poll(bodyIsDrawn).toBe(false);
    await page.getByTestId('not-shown').getByRole('button', { name: /^Undo/ }).click();
    await page.getByTestId('not-shown').waitFor({ state: 'detached' });
    await expect.poll(bodyIsDrawn).toBe(true);
  });

  it('shows that a scene cannot be built, not the one before', async () => {
    const { page } = studio;
    // Two triangles back to back have nothing inside that could be filled.
    await studio.drop('flat.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n');
    await page.getByTestId('not-shown').waitFor({ timeout: 60_000 });
    expect(await page.getByTestId('not-shown').textContent()).toContain('cannot be shown');
    await expect.poll(bodyIsDrawn).toBe(false);
    await page.getByTestId('import-failed').getByRole('button', { name: 'Put this away' }).click();
    await page.locator('[data-action=gallery]').click();
    await page.locator('[data-scene="bar-rest"]').click();
    await page.getByTestId('not-shown').waitFor({ state: 'detached' });
    await expect.poll(bodyIsDrawn).toBe(true);
  });

  it('says why a file was not brought in, where it was dropped, and not in Export', async () => {
    const { page } = studio;
    await studio.drop('hollow.obj', '# nothing\n');
    const why = page.getByTestId('import-failed');
    await why.waitFor();
    expect(await why.textContent()).toContain('hollow.obj');
    expect(await page.locator('.cards [data-job]').count(), 'it is in the list of jobs too').toBe(1);
    await page.locator('[data-action=export]').click();
    await page.getByRole('dialog', { name: 'Export' }).waitFor();
    expect(await page.getByRole('dialog', { name: 'Export' }).getByText('hollow').count()).toBe(0);
    await page.keyboard.press('Escape');
    await why.getByRole('button', { name: 'Put this away' }).click();
    expect(await page.locator('[data-job]').count()).toBe(0);
  });

  it('marks pins as soon as they are there, on a page that has just been opened too', async () => {
    const { page } = studio;
    await page.locator('[data-action=gallery]').click();
    await page.locator('[data-scene="bar-pin"]').click();
    await page.waitForFunction(() => window.sinew.session.scene?.name === 'bar-pin' && window.sinew.viewport.body(0)?.vertexAt(0));
    await page.locator('path.mark').first().waitFor({ state: 'attached' });
    await page.reload();
    await studio.ready();
    await page.locator('path.mark').first().waitFor({ state: 'attached' });
    expect((await page.locator('path.mark').first().getAttribute('d'))!.length).toBeGreaterThan(10);
  });

  it('comes back from a reload to the workspace and the selection it had', async () => {
    const { page } = studio;
    const path = await bodyPath();
    await studio.select(`${path}.solver`);
    await page.locator('[data-action=keys]').click();
    await page.reload();
    await studio.ready();
    await page.waitForFunction(() => window.sinew.studio.workspace === 'keys');
    expect(await page.evaluate(() => window.sinew.studio.selection)).toBe(`${path}.solver`);
    await page.locator('[data-action=stage]').click();
  });
});

describe('the inspector', () => {
  it('calls springs springs, has one row called Method, and shows what is chosen', async () => {
    const { page } = studio;
    await studio.pause();
    const path = await bodyPath();
    await studio.select(path);
    for (const [kind, name] of [['springs', 'Springs'], ['fem', 'Finite elements'], ['shape_matching', 'Shape matching']]) {
      await studio.field(`${path}.solver.kind`).selectOption(kind!);
      await studio.becomes(`${path}.solver.kind`, kind);
      await page.locator(`[role=treeitem][data-path="${path}.solver"]`).getByText(name!).waitFor();
      const method = page.locator('div.right').getByText('Method', { exact: true });
      expect(await method.count()).toBe(1);
      for (const group of await page.locator('div.right [role=radiogroup]').all()) {
        expect(await group.getByRole('radio', { checked: true }).count(), `${kind}: ${await group.getAttribute('aria-label')}`).toBe(1);
      }
      for (const choice of await page.locator('div.right select').all()) {
        expect(await choice.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.textContent ?? ''), `${kind}: ${await choice.getAttribute('aria-label')}`).not.toBe('');
      }
    }
  });

  it('gives each solver its settings back', async () => {
    const path = await bodyPath();
    const choose = async (kind: string): Promise<void> => {
      await studio.field(`${path}.solver.kind`).selectOption(kind);
      await studio.becomes(`${path}.solver.kind`, kind);
    };
    await choose('fem');
    await studio.type(`${path}.solver.newton_iterations`, '13');
    await studio.becomes(`${path}.solver.newton_iterations`, 13);
    await choose('shape_matching');
    await studio.type(`${path}.solver.iterations`, '7');
    await studio.becomes(`${path}.solver.iterations`, 7);
    await choose('fem');
    await studio.becomes(`${path}.solver.newton_iterations`, 13);
    await choose('shape_matching');
    await studio.becomes(`${path}.solver.iterations`, 7);
  });

  it('refuses a negative scale and a negative density in words, and leaves them as they were', async () => {
    const { page } = studio;
    const path = await bodyPath();
    for (const field of ['scale', 'material.density_kg_m3']) {
      const before = await studio.value(`${path}.${field}`);
      await studio.type(`${path}.${field}`, '-2');
      await page.getByTestId('number-refused').waitFor();
      await page.keyboard.press('Escape');
      expect(await studio.value(`${path}.${field}`)).toEqual(before);
    }
  });
});

describe('charts', () => {
  it('keep their axes while a point is dragged', async () => {
    const { page } = studio;
    await page.locator('[data-action=gallery]').click();
    await page.locator('[data-scene="jellyfish"]').click();
    await page.waitForFunction(() => window.sinew.session.scene?.name === 'jellyfish' && window.sinew.viewport.body(0)?.vertexAt(0));
    await page.keyboard.press('Alt+H');
    const chart = page.getByRole('listbox', { name: 'Points of Primary' });
    await chart.waitFor();
    const box = (await chart.boundingBox())!;
    const axis = (): Promise<string> => page.screenshot({ clip: { x: box.x, y: box.y, width: 38, height: box.height } }).then((picture) => picture.toString('base64'));
    await studio.pause();
    const before = await axis();
    // A click on the line adds a point; dragged to the top it would once have made the axis grow under the hand.
    let gripped = false;
    for (let y = 16; y < box.height - 34 && !gripped; y += 3) {
      await page.mouse.move(box.x + box.width * 0.62, box.y + y);
      gripped = (await chart.evaluate((canvas) => getComputedStyle(canvas).cursor)) === 'copy';
    }
    expect(gripped).toBe(true);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.62, box.y + 15, { steps: 8 });
    await page.waitForTimeout(600);
    expect(await axis()).toBe(before);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(studio.complaints.filter((text) => !/400|422/.test(text))).toEqual([]);
  });
});
