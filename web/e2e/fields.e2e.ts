/**
 * Workflow 3, ProcDef figures 3 to 7: layers painted with three tools and a slider, a cutting stroke and paint on the section,
 * strokes on a chosen layer, the three directions, amplitude and phase, charts edited while it plays, touch, pull, undo.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Eyes, differing } from './eyes';
import { bakedSkin } from './bakedSkin';
import { type Wanted, place as findPlace, slideTo as slide } from './painting';
import { slowdown } from './machine';
import { Studio } from './studio';

let studio: Studio;
let eyes: Eyes;
/** The scene as it was opened, to be met again when all is undone. */
let original: unknown;

beforeAll(async () => {
  studio = await Studio.open();
  const { page } = studio;
  eyes = await Eyes.of(page);
  for (const button of ['Discard it', 'Skip tour']) {
    const found = page.getByRole('button', { name: button });
    if (await found.count()) await found.click();
  }
  await page.waitForFunction(() => window.sinew.session.document !== null);
  await page.keyboard.press('Alt+2');
  await page.locator('button[data-tool=pull]').waitFor();
  await studio.pause();
  original = await page.evaluate(() => window.sinew.session.document!.scene);
});
afterAll(async () => {
  await studio?.close();
});

/** The muscle as the document has it. */
const muscle = () => studio.page.evaluate(() => (window.sinew.session.document!.scene as any).body[0].director[0]);
const undoable = () => studio.steps();
const drawn = () => studio.drawn();
const place = (wanted: Wanted) => findPlace(studio, wanted);
const slideTo = (share: number) => slide(studio, share);
const drag: Studio['drag'] = (from, to, button) => studio.drag(from, to, button);
const step = (act: () => Promise<unknown>) => studio.step(act);

/** Opens a built-in scene afresh; it plays by itself, and is stopped. */
async function openScene(name: string): Promise<void> {
  await studio.page.evaluate((scene) => window.sinew.session.open(scene), name);
  await studio.page.waitForFunction((scene) => {
    const { session, viewport } = window.sinew;
    return session.document?.name === scene && session.document.undo.length === 0 && session.scene?.name === scene && session.transport?.playing && viewport.body(0)?.vertexAt(0);
  }, name);
  await studio.pause();
}

describe('fields', () => {
  it('are painted with a flat fill outside and one inside, and show their colours', async () => {
    const { page } = studio;
    await page.keyboard.press('Home');
    await page.keyboard.press('2');
    await slideTo(0);
    const outside = await place({ on: 'skin', inward: false });
    await step(async () => page.mouse.click(outside.x, outside.y));
    expect((await muscle()).layer).toMatchObject([{ fill: 'flat', value: 0 }]);
    // From below the inner surface is seen.
    const stage = (await page.locator('main').boundingBox())!;
    const middle = { x: stage.x + stage.width / 2, y: stage.y + stage.height / 2 };
    await drag(middle, { x: middle.x, y: middle.y - 150 }, 'middle');
    await drawn();
    await slideTo(1);
    const inside = await place({ on: 'skin', inward: true });
    await step(async () => page.mouse.click(inside.x, inside.y));
    expect((await muscle()).layer[1]).toMatchObject({ fill: 'flat', value: 1 });
    await page.waitForFunction(() => {
      const field = window.sinew.viewport.fields.valuesOf(0, 'layer');
      return field && Math.max(...field.values) > 0.99 && Math.min(...field.values) < 0.01;
    });
    await page.mouse.move(stage.x + 70, stage.y + stage.height - 80);
    await drawn();
    const deep = await place({ on: 'skin', look: 'layer', between: [0.97, 1] });
    const [red, , blue] = await eyes.around(deep.x, deep.y);
    expect(red, 'what is innermost is red').toBeGreaterThan(blue + 30);
    await page.getByTestId('legend').getByText('0 outer, 1 inner').waitFor();
  });

  it('take a face fill, and a stroke of a value typed in words', async () => {
    const { page } = studio;
    await page.keyboard.press('1');
    await slideTo(0.5);
    const skin = await place({ on: 'skin', near: [0, 20] });
    await step(async () => page.mouse.click(skin.x, skin.y));
    expect((await muscle()).layer[2]).toMatchObject({ fill: 'face' });
    expect((await muscle()).layer[2].value).toBeCloseTo(0.5, 1);
    await page.keyboard.press('3');
    await page.locator('[data-field=paint-value-typed]').click();
    await page.keyboard.type('1/4');
    await page.keyboard.press('Enter');
    const from = await place({ on: 'skin', near: [-30, 0] });
    await step(async () => drag(from, { x: from.x + 50, y: from.y + 10 }));
    const { stroke, value } = (await muscle()).layer[3];
    expect(value).toBe(0.25);
    expect(stroke.length).toBeGreaterThan(2);
  });

  it('are erased, chosen, changed in value and put in another order from the list', async () => {
    const { page } = studio;
    await page.locator('[data-act="3"]').click();
    await page.locator('[data-field=act-value]').click();
    await page.keyboard.type('0.4');
    await step(async () => page.keyboard.press('Enter'));
    expect((await muscle()).layer[3].value).toBe(0.4);
    await page.locator('[data-act="3"]').focus();
    await step(async () => page.keyboard.press('Alt+ArrowUp'));
    expect((await muscle()).layer[2].value).toBe(0.4);
    await page.keyboard.press('e');
    const here = await place({ on: 'skin', near: [0, 20] });
    const before = (await muscle()).layer.length;
    await step(async () => page.mouse.click(here.x, here.y));
    expect((await muscle()).layer.length).toBe(before - 1);
  });

  it('are seen and painted on a section that a cutting stroke opens', async () => {
    const { page } = studio;
    const stage = (await page.locator('main').boundingBox())!;
    // Level with the body, across the bell: what lies above the line goes.
    await page.locator('g[aria-label="Front view"]').click();
    await page.keyboard.press('Home');
    await drawn();
    const on = await place({ on: 'skin' });
    await page.keyboard.press('c');
    await drag({ x: stage.x + 150, y: on.y }, { x: stage.x + stage.width - 120, y: on.y });
    await page.waitForFunction(() => (window.sinew.viewport.fields.section.section?.triangles.length ?? 0) > 0);
    // Drawn from its edge, it turns to face the one who drew it.
    await page.waitForFunction(() => window.sinew.viewport.orbit.pitch > 1.3);
    // From above one looks onto the cut.
    await page.locator('g[aria-label="Top view"]').click();
    await drawn();
    const spot = await place({ on: 'section' });
    const aside = { x: stage.x + 70, y: stage.y + stage.height - 80 };
    const change = async (from: number[]) => {
      const now = await eyes.around(spot.x, spot.y);
      return Math.max(...now.map((c, i) => Math.abs(c - from[i]!)));
    };
    await page.keyboard.press('3');
    // The outermost first, whatever was there, then the innermost over it: one of the two is another colour for sure.
    const found = await eyes.around(spot.x, spot.y);
    await slideTo(0.02);
    await step(async () => drag(spot, { x: spot.x + 12, y: spot.y + 6 }));
    await page.mouse.move(aside.x, aside.y);
    for (let tries = 0; tries < 20 && (await change(found)) <= 12; tries += 1) await page.waitForTimeout(100);
    const outermost = await eyes.around(spot.x, spot.y);
    await slideTo(0.98);
    await step(async () => drag(spot, { x: spot.x + 12, y: spot.y + 6 }));
    const painted = (await muscle()).layer.at(-1);
    expect(painted.stroke.length).toBeGreaterThan(0);
    await page.mouse.move(aside.x, aside.y);
    await expect.poll(() => change(outermost), { timeout: 20_000 }).toBeGreaterThan(12);
    await page.locator('[data-field=cut-view]').click();
    await page.waitForFunction(() => window.sinew.viewport.fields.section.section === null);
  });

  it('have directions that are drawn on a chosen layer, and show all three', async () => {
    const { page } = studio;
    const stage = (await page.locator('main').boundingBox())!;
    await page.locator('[data-field=directions]').first().click();
    await page.getByRole('radio', { name: 'Layer', exact: true }).click();
    await page.waitForFunction(() => (window.sinew.viewport.fields.section.section?.triangles.length ?? 0) > 0);
    await page.locator('g[aria-label="Front view"]').click();
    await page.keyboard.press('Home');
    await drawn();
    const from = await place({ on: 'section' });
    await step(async () => drag(from, { x: from.x + 30, y: from.y + 12 }));
    const { strokes, around } = (await muscle()).fibres;
    expect(around, 'the formula stays beneath').toBe('y');
    expect(strokes).toHaveLength(1);
    expect(strokes[0].length).toBeGreaterThan(1);
    await page.getByRole('radio', { name: 'Surface', exact: true }).click();
    await page.waitForFunction(() => window.sinew.viewport.fields.section.section === null);
    const pictures = [];
    const clip = { x: stage.x + 200, y: stage.y + 80, width: stage.width - 400, height: stage.height - 200 };
    for (const look of ['1st', '2nd', '3rd', 'Off']) {
      await page.getByRole('radiogroup', { name: 'Directions' }).getByRole('radio', { name: look, exact: true }).click();
      const lines = look === 'Off' ? 0 : 1;
      await page.waitForFunction((least) => {
        const { instanceCount } = window.sinew.viewport.fields.lines.mesh.geometry;
        return least === 0 ? instanceCount === 0 : instanceCount > 100;
      }, lines);
      await drawn();
      pictures.push(await eyes.region(clip));
    }
    for (let i = 0; i < 4; i++) expect(differing(pictures[i]!, pictures[(i + 1) % 4]!), `picture ${i} and the next`).toBeGreaterThan(300);
  });

  it('of amplitude and phase are painted on top of their formulas', async () => {
    const { page } = studio;
    await page.locator('button[data-field=amplitude]').click();
    await page.keyboard.press('3');
    await slideTo(0);
    const from = await place({ on: 'skin', near: [-30, 0] });
    await step(async () => drag(from, { x: from.x + 60, y: from.y }));
    expect((await muscle()).amplitude.paint).toMatchObject([{ value: -1 }]);
    expect((await muscle()).amplitude.path, 'the formula stays beneath').toBeDefined();
    await page.waitForFunction(() => {
      const field = window.sinew.viewport.fields.valuesOf(0, 'amplitude');
      return field && Math.min(...field.values) < -0.9;
    });
    await page.mouse.move(from.x + 30, from.y + 160);
    await drawn();
    const opposite = await place({ on: 'skin', look: 'amplitude', between: [-1, -0.8] });
    const [red, , blue] = await eyes.around(opposite.x, opposite.y);
    expect(blue, 'painted −1 is blue').toBeGreaterThan(red + 30);
    await page.locator('button[data-field=phase]').click();
    await slideTo(1);
    const other = await place({ on: 'skin', near: [-30, 10] });
    await step(async () => drag(other, { x: other.x + 60, y: other.y }));
    expect((await muscle()).phase.paint).toMatchObject([{ value: 1 }]);
  });

  it('take a stroke with Shift that smooths: what is there already, averaged', async () => {
    const { page } = studio;
    await page.locator('button[data-field=layer]').click();
    await page.keyboard.press('3');
    const from = await place({ on: 'skin', near: [-30, -20] });
    const before = (await muscle()).layer.length;
    await page.keyboard.down('Shift');
    await step(async () => drag(from, { x: from.x + 60, y: from.y }));
    await page.keyboard.up('Shift');
    expect((await studio.undos()).at(-1)).toMatch(/smooth layers/);
    const added = (await muscle()).layer.slice(before);
    expect(added.length).toBeGreaterThan(0);
    for (const act of added) expect(Math.min(act.value, act.to)).toBeGreaterThanOrEqual(0);
    const steps = await undoable();
    await page.keyboard.press('Control+z');
    await page.waitForFunction((count) => window.sinew.session.document!.undo.length === count, steps - 1);
    await page.locator('button[data-field=phase]').click();
  });

  it('show within a third of a second', async () => {
    const { page } = studio;
    // The best of five: a machine that draws with its processor and shares it with others is late now and then.
    const times: number[] = [];
    for (let i = 0; i < 5 && Math.min(Infinity, ...times) > 300; i++) {
      const at = await place({ on: 'skin', near: [10 + 8 * i, -10] });
      await page.evaluate(() => {
        const { viewport } = window.sinew;
        const known = viewport.fields.valuesOf(0, 'phase');
        const seen = window as unknown as { painted: number; pressed: number };
        Object.assign(seen, { painted: 0, pressed: 0 });
        window.addEventListener('pointerup', () => (seen.pressed = performance.now()), { once: true, capture: true });
        const stop = viewport.onDrawn(() => {
          if (viewport.fields.valuesOf(0, 'phase') === known) return;
          seen.painted = performance.now();
          stop();
        });
      });
      await page.keyboard.press('1');
      await step(async () => page.mouse.click(at.x, at.y));
      await page.waitForFunction(() => (window as unknown as { painted: number }).painted > 0);
      times.push(await page.evaluate(() => {
        const { painted, pressed } = window as unknown as { painted: number; pressed: number };
        return painted - pressed;
      }));
    }
    expect(Math.min(...times) / slowdown(), `of ${times.map(Math.round).join(', ')} ms from the hand to the picture`).toBeLessThan(300);
  });

  it('are seen side by side: each view has its own look and legend', async () => {
    const { page } = studio;
    await page.locator('[data-action=views-2]').click();
    const main = (await page.locator('main').boundingBox())!;
    const half = (i: number) => ({ x: main.x + (0.25 + 0.5 * i) * main.width, y: main.y + 0.5 * main.height });
    const use = async (i: number): Promise<void> => {
      await page.mouse.click(half(i).x, half(i).y, { button: 'middle' });
      await expect.poll(() => page.evaluate(() => window.sinew.studio.looks.view)).toBe(i);
    };
    await use(1);
    await page.getByRole('radio', { name: 'Skin', exact: true }).click();
    await drawn();
    const legends = page.getByTestId('legend');
    await expect.poll(() => legends.count(), { message: 'the first view keeps its field' }).toBe(1);
    const region = (i: number) => ({ x: Math.round(main.x + 60 + 0.5 * i * main.width), y: Math.round(main.y + 60), width: Math.round(0.5 * main.width - 90), height: Math.round(main.height - 190) });
    const plain = await eyes.region(region(1));
    const first = await eyes.region(region(0));
    await page.getByRole('radio', { name: 'Field', exact: true }).click();
    await page.locator('[data-action=look]').click();
    await page.getByRole('menuitemcheckbox', { name: /^Layers/ }).or(page.getByRole('menuitemradio', { name: /^Layers/ })).or(page.getByRole('menuitem', { name: /^Layers/ })).first().click();
    await expect.poll(() => legends.count()).toBe(2);
    expect(await legends.allTextContents()).toEqual([expect.stringContaining('Phase'), expect.stringContaining('Layers')]);
    await expect.poll(async () => differing(await eyes.region(region(1)), plain), { message: 'the second view has colours' }).toBeGreaterThan(1000);
    await expect.poll(async () => differing(await eyes.region(region(0)), first), { message: 'the first is as it was' }).toBeLessThan(200);
    await use(0);
    await page.locator('[data-action=views-1]').click();
    await expect.poll(() => legends.count()).toBe(1);
  });
});

describe('charts', () => {
  const plot = () => studio.page.locator('[data-chart=primary] [role=listbox]');
  /** Pixels of a phase and rate on the primary chart. */
  async function spot(phase: number, rate: number): Promise<{ x: number; y: number }> {
    const box = (await plot().boundingBox())!;
    const limit = Math.max(...(await studio.page.evaluate(() => {
      const keys = (window.sinew.session.document!.scene as any).body[0].director[0].primary as number[][];
      const reach = Math.max(...keys.map(([, value]) => Math.exp(Math.abs(Math.log(value!)))));
      const steps = [1.25, 1.5, 2, 3, 4];
      return [Math.min(Math.max(steps.find((step) => step >= reach * 1.08) ?? 4, 1.5), 4)];
    })));
    const share = 0.5 + Math.log(rate) / (2 * Math.log(limit));
    return { x: box.x + 40 + phase * (box.width - 54), y: box.y + 14 + (1 - share) * (box.height - 46) };
  }

  it('take points by a click, move them by a drag and lose them with Del, while it plays', async () => {
    const { page } = studio;
    await page.keyboard.press('q');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.sinew.session.transport?.playing);
    const line = await spot(0.5, 0.75);
    await step(async () => page.mouse.click(line.x, line.y));
    let { primary } = await muscle();
    expect(primary).toHaveLength(4);
    expect(primary[2][0]).toBeCloseTo(0.5, 1);
    const point = await spot(primary[2][0], primary[2][1]);
    const target = await spot(0.6, 1.25);
    await step(async () => drag(point, target));
    ({ primary } = await muscle());
    expect(primary[2][0]).toBeCloseTo(0.6, 1);
    expect(primary[2][1]).toBeGreaterThan(1.15);
    expect(await page.evaluate(() => window.sinew.session.transport!.playing), 'it played on').toBe(true);
    await plot().focus();
    await step(async () => page.keyboard.press('Delete'));
    expect((await muscle()).primary).toHaveLength(3);
  });

  it('have a red bar that sweeps with the cycle', async () => {
    const { page } = studio;
    const now = () => page.getByTestId('phase-now').textContent();
    const first = await now();
    await expect.poll(now, { timeout: 20_000 }).not.toBe(first);
    await studio.pause();
    const box = (await plot().boundingBox())!;
    const picture = await eyes.region(box);
    const red = [];
    for (let x = 0; x < picture.width; x++) {
      const at = 4 * (Math.round(picture.height * 0.2) * picture.width + x);
      if (picture.data[at]! > 200 && picture.data[at + 1]! < 130 && picture.data[at + 2]! < 130) red.push(x);
    }
    const phase = Number.parseFloat((await now())!) / 1.2;
    expect(Math.abs(red[0]! + 1 - (40 + phase * (box.width - 54)))).toBeLessThan(4);
  });

  it('follow the primary one as the volume mode says', async () => {
    const { page } = studio;
    expect(await page.getByTestId('rate-product').textContent()).toBe('1.000');
    await step(async () => page.getByRole('radio', { name: 'Second', exact: true }).click());
    expect((await muscle()).volume).toBe('secondary');
    const rates = async () => Promise.all(['primary', 'secondary', 'tertiary'].map(async (name) => Number((await page.getByTestId(`rate-${name}`).textContent())!.slice(1))));
    const [first, second, third] = await rates();
    expect(first! * second!).toBeCloseTo(1, 1);
    expect(third).toBe(1);
    await step(async () => page.locator('[data-field=volume]').getByRole('radio', { name: 'Off', exact: true }).click());
    const own = page.locator('[data-chart=secondary] [role=listbox]');
    const box = (await own.boundingBox())!;
    await step(async () => page.mouse.click(box.x + 40 + 0.5 * (box.width - 54), box.y + 14 + 0.5 * (box.height - 46)));
    expect((await muscle()).secondary).toHaveLength(1);
  });

  it('are typed to the digit', async () => {
    const { page } = studio;
    await plot().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.locator('[data-field=point-rate]').click();
    await page.keyboard.type('0.66');
    await step(async () => page.keyboard.press('Enter'));
    expect((await muscle()).primary.some(([, value]: number[]) => value === 0.66)).toBe(true);
  });
});

describe('the body', () => {
  it('is pulled with the select tool', async () => {
    const { page } = studio;
    await page.keyboard.press('q');
    await page.keyboard.press('Home');
    const at = await place({ on: 'skin' });
    const held = await page.evaluate(async ({ x, y }) => {
      const box = document.querySelector('main')!.getBoundingClientRect();
      const { viewport } = window.sinew;
      const hit = viewport.hitAt(x - box.x, y - box.y)!;
      const vertex = viewport.body(0)!.vertexNear(hit.atRest);
      return { vertex, from: viewport.body(0)!.vertexAt(vertex)! };
    }, at);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.waitForTimeout(200);
    await page.mouse.move(at.x + 140, at.y, { steps: 6 });
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('ArrowRight');
      await page.waitForTimeout(60);
    }
    await studio.settle();
    const now = await page.evaluate((vertex) => window.sinew.viewport.body(0)!.vertexAt(vertex)!, held.vertex);
    await page.mouse.up();
    const size = await page.evaluate(() => window.sinew.viewport.body(0)!.bounds().radiusM);
    expect(Math.hypot(...now.map((c, i) => c - held.from[i]!))).toBeGreaterThan(0.05 * size);
  });

  it('has the same skin as the server bakes, at twenty thousand vertices', async () => {
    const { page } = studio;
    const frames = 6;
    const baked = await bakedSkin('jellyfish', frames);
    await openScene('jellyfish');
    await page.locator('[data-action=restart]').click();
    await page.waitForFunction(() => window.sinew.session.frame === 1);
    for (let frame = 2; frame <= frames; frame++) {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((wanted) => window.sinew.session.frame === wanted, frame);
    }
    await studio.settle();
    const shown = await page.evaluate(() => {
      const { viewport } = window.sinew;
      const { centre, radiusM } = viewport.body(0)!.bounds();
      return { skin: [...viewport.readSkin(0)!], centre: [centre.x, centre.y, centre.z], size: 2 * radiusM };
    });
    expect(shown.skin.length).toBe(baked.length);
    expect(baked.length / 3).toBeGreaterThan(19_000);
    let worst = 0;
    for (let i = 0; i < baked.length; i += 3) {
      worst = Math.max(worst, Math.hypot(...[0, 1, 2].map((c) => shown.skin[i + c]! + shown.centre[c]! - baked[i + c]!)));
    }
    expect(worst / shown.size).toBeLessThan(1e-4);
  });
});

describe('a body that responds', () => {
  it('sends a wave from where it is touched', async () => {
    const { page } = studio;
    await openScene('snail-touch');
    await page.evaluate(() => {
      window.sinew.studio.looks.look = 'excitation';
      window.sinew.studio.looks.shade = 'field';
    });
    await studio.toFirst();
    await page.locator('button[data-tool=touch]').click();
    const spot = await place({ on: 'skin' });
    const excited = () => page.evaluate(() => {
      const field = window.sinew.viewport.fields.valuesOf(0, 'excitation');
      return field ? field.values.filter((value) => value > 0.1).length : 0;
    });
    // What was excited while it played is gone once the first frame's field has come.
    await expect.poll(excited, { timeout: 30_000 }).toBe(0);
    const before = 0;
    await page.mouse.click(spot.x, spot.y);
    await page.mouse.move(spot.x, spot.y + 200);
    await studio.settle();
    const counts: number[] = [];
    const from = await page.evaluate(() => window.sinew.session.frame);
    for (let i = 1; i <= 14; i++) {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((frame) => !window.sinew.session.greyed && window.sinew.session.pictured >= frame, from + i, { timeout: 30_000 });
      await studio.settle();
      counts.push(await excited());
    }
    expect(Math.max(...counts), 'tissue is excited').toBeGreaterThan(before + 5);
    const first = counts.find((count) => count > before)!;
    expect(Math.max(...counts), 'and the wave spreads').toBeGreaterThan(first);
  });
});

describe('the page', () => {
  it('undoes all of it', async () => {
    const { page } = studio;
    await openScene('jellyfish');
    await page.keyboard.press('Home');
    await page.locator('button[data-field=layer]').click();
    await page.keyboard.press('3');
    for (let i = 0; i < 4; i++) {
      const from = await place({ on: 'skin', near: [20 * i - 40, 0] });
      await step(async () => drag(from, { x: from.x + 20, y: from.y + 6 }));
    }
    await step(async () => page.getByRole('radio', { name: 'Second', exact: true }).click());
    expect(await undoable()).toBe(5);
    for (let left = 4; left >= 0; left--) {
      await page.keyboard.press('Control+z');
      await page.waitForFunction((count) => window.sinew.session.document!.undo.length === count, left);
    }
    expect(await page.evaluate(() => window.sinew.session.document!.scene)).toEqual(original);
  });

  it('complained of nothing', () => {
    expect(studio.complaints.filter((line) => !line.includes('404'))).toEqual([]);
  });
});
