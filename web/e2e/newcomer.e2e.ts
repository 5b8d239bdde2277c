/** What a first hour ran into: finding by name, questions that come back, preferences, a stage of its own scene, what was added in view. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenBall } from './brokenBall';
import { barOverGround } from './scenes';
import { Studio } from './studio';

const SHOTS = process.env.SINEW_SHOTS;
const scaled = (obj: string, by: number): string => obj.replace(/^v (.*)$/gm, (_, at: string) => `v ${at.split(' ').map((c) => Number(c) * by).join(' ')}`);

let folder: string;
let studio: Studio;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sinew-newcomer-'));
  studio = await Studio.open({ folder, text: barOverGround() });
});
afterAll(async () => {
  await studio?.close();
  rmSync(folder, { recursive: true, force: true });
});

const shot = async (name: string): Promise<void> => void (SHOTS && (await studio.page.screenshot({ path: join(SHOTS, `newcomer-${name}.png`) })));
const opened = (name: string): Promise<unknown> => studio.page.waitForFunction((wanted) => window.sinew.session.scene?.name === wanted && window.sinew.session.document?.building === null, name, { timeout: 120_000 });
const question = () => studio.page.getByTestId('notice').getByText(/is this millimetres\?/);

async function addBall(as: 'body' | 'obstacle', name: string, by: number): Promise<void> {
  const { page } = studio;
  const data = await page.evaluateHandle(([file, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content!], file!));
    return transfer;
  }, [name, scaled(brokenBall(), by)]);
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: data });
  const box = (await page.locator(`[data-as=${as}]`).boundingBox())!;
  const at = { dataTransfer: data, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  await page.dispatchEvent('main', 'dragover', at);
  await page.locator(`p.on[data-as=${as}]`).waitFor();
  await page.dispatchEvent('main', 'drop', at);
}

describe('Ctrl K', () => {
  const rows = (): Promise<string[]> => studio.page.locator('#palette-results .entry b').allTextContents();
  const type = async (text: string): Promise<void> => {
    await studio.page.keyboard.press('Control+k');
    await studio.page.getByRole('combobox', { name: 'Commands' }).fill(text);
  };

  it('puts what is called so first, however many commands have its letters', async () => {
    const { page } = studio;
    await page.evaluate(() => window.sinew.session.saveAs('gox'));
    await page.waitForFunction(() => window.sinew.session.document?.file === 'gox/scene.toml');
    await page.evaluate(() => window.sinew.session.open('bar-drop'));
    await opened('bar-drop');
    await type('Gox');
    expect((await rows())[0], 'not “Ghosts of what comes next”').toBe('gox/scene.toml');
    await page.keyboard.press('Enter');
    await opened('gox');
  });

  it('finds values of the inspector and goes there', async () => {
    const { page } = studio;
    await type('vertic');
    expect(await rows()).toEqual(['Vertices']);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-field') === 'body.bar.flesh.vertices');
    await type('no such thing at all');
    expect(await rows()).toEqual([]);
    await page.keyboard.press('Escape');
  });
});

describe('a mesh that is far too large', () => {
  it('is asked about again after undo and after reopening, and the answer is a step of the history', async () => {
    const { page } = studio;
    await studio.drop('giant.obj', scaled(brokenBall(), 1000));
    await opened('giant');
    await question().waitFor();
    await page.getByTestId('notice').getByRole('button', { name: 'It is millimetres' }).click();
    await studio.becomes('body.giant.skin.unit', 'mm');
    await studio.built();
    await expect.poll(() => question().count()).toBe(0);
    await studio.leaveControls();
    await page.keyboard.press('Control+z');
    await studio.becomes('body.giant.skin.unit', 'm');
    await question().waitFor();
    // Not saved: another scene, and back.
    await page.evaluate(() => window.sinew.session.open('bar-drop'));
    await opened('bar-drop');
    await page.evaluate(() => window.sinew.session.open('giant'));
    await opened('giant');
    await question().waitFor();
    await studio.step(() => page.getByTestId('notice').getByRole('button', { name: 'It is metres' }).click());
    await expect.poll(() => question().count(), { message: 'it is answered' }).toBe(0);
    await studio.leaveControls();
    await page.keyboard.press('Control+z');
    await question().waitFor();
  });
});

describe('while another scene is made', () => {
  it('the stage shows nothing of the one before, and work on that one is offered when it comes back', async () => {
    const { page } = studio;
    await page.evaluate(() => window.sinew.session.open('gox'));
    await opened('gox');
    await studio.type('body.bar.material.density_kg_m3', '777');
    await studio.becomes('body.bar.material.density_kg_m3', 777);
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to > 3);
    // What the page says in every moment until the new stage is there.
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const look = (): void => {
        const { session, viewport } = window.sinew;
        if (session.document?.name === 'next' && session.scene?.name !== 'next') {
          const points = session.scene ? 'numbers of another scene' : 'none';
          seen.push(`${points} ${document.querySelector('ul[aria-label=Takes] .live .meta')?.textContent ?? ''} ${viewport.isAbsent ? 'hidden' : 'shown'} ${document.querySelector('[data-testid=making] h2')?.textContent ?? ''}`);
        }
        if (session.scene?.name !== 'next') requestAnimationFrame(look);
      };
      look();
    });
    await studio.drop('next.obj', brokenBall());
    await opened('next');
    const seen = new Set(await page.evaluate(() => (window as unknown as { seen: string[] }).seen));
    expect([...seen]).toEqual(['none  hidden Making next']);
    await page.evaluate(() => window.sinew.session.open('gox'));
    await opened('gox');
    const card = page.getByRole('alertdialog', { name: 'Unsaved work was found' });
    await card.getByText('There is work on gox that was never saved').waitFor();
    // Opening another scene is no answer.
    await page.evaluate(() => window.sinew.session.open('next'));
    await opened('next');
    await page.evaluate(() => window.sinew.session.open('gox'));
    await opened('gox');
    await card.getByRole('button', { name: 'Go on with it' }).click();
    await studio.becomes('body.bar.material.density_kg_m3', 777);
  });
});

describe('a mesh that is added', () => {
  const inView = (path: string): Promise<boolean> => studio.page.evaluate((wanted) => {
    const { viewport, session } = window.sinew;
    const body = session.scene?.bodies.findIndex((each) => each.path === wanted) ?? -1;
    const ball = body >= 0 ? viewport.body(body)?.bounds() : viewport.obstacleBall(wanted);
    if (!ball) return false;
    const { clientWidth, clientHeight } = document.querySelector('main canvas')!;
    const [middle, top] = [ball.centre, ball.centre.clone().setY(ball.centre.y + ball.radiusM)].map((at) => viewport.pixelOf([at.x, at.y, at.z]));
    return middle!.x > 0 && middle!.x < clientWidth && middle!.y > 0 && middle!.y < clientHeight && Math.abs(top!.y - middle!.y) > 12;
  }, path);

  it('is selected and in view, and its size is said', async () => {
    const { page } = studio;
    await addBall('body', 'ball.obj', 1);
    await page.waitForFunction(() => window.sinew.studio.selection === 'body.ball', null, { timeout: 60_000 });
    await page.getByTestId('said').getByText(/^ball is [\d.]+ c?m from corner to corner$/).waitFor();
    await studio.built();
    await expect.poll(() => inView('body.ball')).toBe(true);
    await shot('body');
    // A hundredth of the scene: alone, or nobody would find it.
    await addBall('obstacle', 'pea.obj', 0.02);
    await page.waitForFunction(() => window.sinew.studio.selection === 'obstacle.pea', null, { timeout: 60_000 });
    await expect.poll(() => inView('obstacle.pea')).toBe(true);
    await shot('pea');
  });

  it('leaves the frames that were simulated where they are', async () => {
    const { page } = studio;
    await studio.leaveControls();
    await studio.play();
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to > 12);
    await addBall('obstacle', 'late.obj', 0.3);
    await page.waitForFunction(() => window.sinew.session.scene?.obstacles.some(({ path }) => path === 'obstacle.late'), null, { timeout: 60_000 });
    expect(await page.evaluate(() => window.sinew.session.transport!.recorded_from)).toBe(1);
    await studio.pause();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.waitForFunction(() => window.sinew.session.frame === 1);
    await page.waitForFunction(() => window.sinew.session.history.stepMsAt(2) !== undefined, null, { timeout: 30_000 });
  });
});

describe('charts', () => {
  it('cover what is simulated, also for a page that comes later', async () => {
    const { page } = studio;
    await studio.play();
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to > 20);
    await studio.pause();
    await page.reload();
    await studio.ready();
    const known = () => page.evaluate(() => {
      const { history, transport } = window.sinew.session;
      const all = Array.from({ length: transport!.recorded_to - transport!.recorded_from + 1 }, (_, i) => transport!.recorded_from + i);
      return all.filter((frame) => history.stepMsAt(frame) === undefined || history.heightAt(0, frame) === undefined);
    });
    await expect.poll(known).toEqual([]);
  });
});

describe('a pull while time stands', () => {
  it('changes nothing, and leaves nothing stale', async () => {
    const { page } = studio;
    await studio.toFirst();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => window.sinew.session.frame === 2);
    await studio.settle();
    await page.evaluate(() => window.sinew.viewport.frameBody(0));
    await studio.drawn();
    const before = await studio.undos();
    const middle = await studio.middleOfBody();
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    await page.mouse.move(middle.x + 40, middle.y - 30, { steps: 5 });
    await page.waitForFunction(() => window.sinew.session.holding);
    await page.mouse.up();
    await page.waitForFunction(() => !window.sinew.session.holding);
    await page.keyboard.press('Shift+ArrowRight');
    await page.waitForFunction(() => window.sinew.session.frame === window.sinew.session.transport!.recorded_to);
    expect(await page.evaluate(() => window.sinew.session.transport!.stale_from)).toBeNull();
    expect(await studio.undos()).toEqual(before);
  });
});

describe('Export', () => {
  it('lists what was exported, and says where it goes', async () => {
    const { page } = studio;
    await page.keyboard.press('Control+e');
    const panel = page.getByRole('dialog', { name: 'Export' });
    await panel.getByText(/^Goes to gox\/.*\.glb$/).waitFor();
    expect(await panel.locator('[data-job]').count(), 'neither builds nor imports').toBe(0);
    await page.keyboard.press('Escape');
  });
});

describe('a narrow window', () => {
  it('has numbers with their sign, bars that wrap, and a legend that nothing covers', async () => {
    const { page } = studio;
    await page.setViewportSize({ width: 1100, height: 680 });
    await studio.select('body.bar');
    await page.evaluate(() => window.sinew.session.edit({ do: 'set', path: 'body.bar.at', value: [-0.033, 0.6, -1.234] }));
    await studio.becomes('body.bar.at', [-0.033, 0.6, -1.234]);
    await studio.built();
    const cramped = await page.evaluate(() => [0, 1, 2].flatMap((i) => {
      const field = document.querySelector(`[data-field="body.bar.at[${i}]"]`)!;
      const [letter, number] = [field.querySelector('em')!.getBoundingClientRect(), field.querySelector('b')!];
      const at = number.getBoundingClientRect();
      return letter.right <= at.left && at.right <= field.getBoundingClientRect().right && number.scrollWidth <= number.clientWidth + 1 ? [] : [number.textContent];
    }));
    expect(cramped).toEqual([]);
    await page.evaluate(() => window.sinew.session.open('heart'));
    await opened('heart');
    await page.keyboard.press('Alt+2');
    await page.locator('[data-field=amplitude]').first().click();
    await page.getByTestId('legend').waitFor();
    await studio.drawn();
    await shot('narrow');
    const covered = await page.evaluate(() => {
      const box = (selector: string): DOMRect => document.querySelector(selector)!.getBoundingClientRect();
      const meet = (a: DOMRect, b: DOMRect): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      const stage = box('main');
      const bars = [...document.querySelectorAll('main .bar[role=toolbar]')].map((bar) => bar.getBoundingClientRect());
      return {
        outside: bars.filter((bar) => bar.right > stage.right + 0.5 || bar.left < stage.left).length,
        bars: bars.some((bar, i) => bars.some((other, j) => i < j && meet(bar, other)) || meet(bar, box('.stage .tools'))),
        legend: meet(box('[data-testid=legend]'), box('main .stat')),
      };
    });
    expect(covered).toEqual({ outside: 0, bars: false, legend: false });
  });

  it('shows skins where another scene has nothing of the field that was shown', async () => {
    const { page } = studio;
    await page.evaluate(() => window.sinew.session.open('bar-drop'));
    await opened('bar-drop');
    await expect.poll(() => page.evaluate(() => window.sinew.studio.looks.shade)).toBe('skin');
    await page.keyboard.press('Alt+1');
  });

  it('has a tour that leaves the middle of the stage free', async () => {
    const { page } = studio;
    await page.evaluate(() => (window.sinew.studio.tour = 0));
    const card = (await page.getByRole('region', { name: 'Guided tour' }).boundingBox())!;
    const stage = (await page.locator('main').boundingBox())!;
    expect(card.x, 'right of the middle').toBeGreaterThan(stage.x + 0.6 * stage.width);
    await shot('tour');
    await page.getByRole('button', { name: 'Skip tour' }).click();
  });
});

/** A table: a slab on four legs, which needs to be stiff to stand. */
const table = (): string => {
  const boxes: [number[], number[]][] = [[[-0.5, 0.6, -0.3], [0.5, 0.75, 0.3]], ...[-0.42, 0.42].flatMap((x) => [-0.22, 0.22].map((z): [number[], number[]] => [[x - 0.06, 0, z - 0.06], [x + 0.06, 0.62, z + 0.06]]))];
  let text = '';
  boxes.forEach(([a, b], i) => {
    for (let corner = 0; corner < 8; corner++) text += `v ${[0, 1, 2].map((c) => (corner & (1 << c) ? b[c] : a[c])).join(' ')}\n`;
    for (const face of ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6']) text += `f ${face.split(' ').map((n) => Number(n) + 8 * i).join(' ')}\n`;
  });
  return text;
};

describe('a mesh on legs', () => {
  it('is asked about when shape matching would let it lie down, and one click makes it stand', async () => {
    const { page } = studio;
    await studio.drop('table.obj', table());
    await opened('table');
    await studio.pause();
    await page.evaluate(() => window.sinew.session.edit({ do: 'set', path: 'body.table.flesh.vertices', value: 900 }));
    await studio.built();
    await studio.select('body.table');
    const ask = page.getByTestId('notice').getByText(/table will not bear its weight/i);
    expect(await ask.count()).toBe(0);
    await studio.field('body.table.solver.kind').selectOption('shape_matching');
    await ask.waitFor();
    await shot('legs');
    await studio.step(() => page.getByTestId('notice').getByRole('button', { name: /30 iterations/ }).click());
    await studio.becomes('body.table.solver.iterations', 30);
    await expect.poll(() => ask.count()).toBe(0);
    await page.keyboard.press('Control+z');
    await ask.waitFor();
    await studio.step(() => page.getByTestId('notice').getByRole('button', { name: 'Use finite elements' }).click());
    await studio.becomes('body.table.solver.kind', 'fem');
  });
});

describe('frames that take long', () => {
  it('are said to, with a click that makes them faster', async () => {
    const { page } = studio;
    await page.evaluate(() => window.sinew.session.edit({ do: 'batch', label: 'slow', commands: [
      { do: 'set', path: 'body.table.flesh.vertices', value: 3000 }, { do: 'set', path: 'body.table.solver', value: { kind: 'fem' } },
    ] }));
    await studio.built();
    await studio.leaveControls();
    await studio.play();
    const ask = page.getByTestId('notice').getByText(/table takes long to simulate/i);
    await ask.waitFor({ timeout: 120_000 });
    await shot('slow');
    await page.getByTestId('notice').getByRole('button', { name: 'Use 1,000 vertices' }).click();
    await studio.becomes('body.table.flesh.vertices', 1000);
    await studio.built();
    await expect.poll(() => ask.count()).toBe(0);
  });
});

describe('a take that is shown instead', () => {
  it('has its own colours and its own words', async () => {
    const { page } = studio;
    await page.evaluate(() => window.sinew.session.open('bar-drop'));
    await opened('bar-drop');
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to > 20);
    await studio.pause();
    await page.evaluate(() => window.sinew.session.keepTake('first'));
    await page.locator('[data-take="first"]').waitFor();
    await page.evaluate(() => window.sinew.session.send({ do: 'restart' }));
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to === 1);
    await page.locator('[data-take="first"]').click();
    await page.waitForFunction(() => window.sinew.session.takes.shown === 'first');
    await page.locator('[data-take="first"]').click();
    await page.waitForFunction(() => window.sinew.session.takes.instead);
    await page.evaluate(() => window.sinew.session.send({ do: 'seek', frame: 12 }));
    await page.getByTestId('of-take').getByText('take first').waitFor();
    expect(await page.evaluate(() => [window.sinew.session.greyed, window.sinew.session.frame])).toEqual([false, 12]);
    expect(await page.getByTestId('not-simulated').count()).toBe(0);
    await page.locator('[data-take="first"]').click();
    await page.getByTestId('not-simulated').getByText('frame 12 is not simulated: 1 shows').waitFor();
  });
});

describe('a brush on coarse flesh', () => {
  it('shows how far its paint goes, and its tip goes with an undo', async () => {
    const { page } = studio;
    await page.evaluate(() => window.sinew.session.open('heart'));
    await opened('heart');
    await studio.pause();
    await page.keyboard.press('Alt+2');
    await page.locator('[data-field=amplitude]').first().click();
    await page.keyboard.press('3');
    const middle = await studio.middleOfBody();
    await page.mouse.move(middle.x, middle.y);
    const soft = page.getByTestId('soft-edge');
    await soft.waitFor({ state: 'attached' });
    const [ring, edge] = await page.evaluate(() => {
      const { ring: at } = window.sinew.studio.brush;
      return [at!.radiusM + at!.softM, window.sinew.viewport.fields.edgeOf(0)];
    });
    expect(ring).toBeGreaterThan(edge!);
    const before = await page.evaluate(() => Float32Array.from(window.sinew.viewport.fields.valuesOf(0, 'amplitude')!.values).slice());
    const at = await page.evaluate(() => [...window.sinew.studio.brush.ring!.at]);
    await studio.step(async () => {
      await page.mouse.down();
      await page.mouse.up();
    });
    await page.waitForFunction((was) => window.sinew.viewport.fields.valuesOf(0, 'amplitude')!.values.some((value, i) => Math.abs(value - (was as unknown as Record<number, number>)[i]!) > 1e-3), before as unknown as number[]);
    // Everything that changed lies inside of what the ring showed.
    const farthest = await page.evaluate(([was, place]) => {
      const { viewport } = window.sinew;
      const now = viewport.fields.valuesOf(0, 'amplitude')!.values;
      const { origin, positions } = viewport.body(0)!.fleshNow!;
      let most = 0;
      now.forEach((value, i) => {
        if (Math.abs(value - (was as unknown as Record<number, number>)[i]!) < 0.02) return;
        most = Math.max(most, Math.hypot(...[0, 1, 2].map((c) => origin[c]! + positions[3 * i + c]! - (place as number[])[c]!)));
      });
      return most;
    }, [before, at] as const);
    await shot('brush');
    expect(farthest).toBeLessThan(1.15 * ring!);
    // The edge is a number of the scene, and the ring follows it.
    await studio.type('paint-reach', '0.05');
    await expect.poll(() => page.evaluate(() => JSON.stringify(window.sinew.session.document!.scene).includes('"reach":0.05'))).toBe(true);
    await page.mouse.move(middle.x + 3, middle.y);
    await expect.poll(() => page.evaluate(() => window.sinew.studio.brush.ring?.softM)).toBe(0.05);
    await studio.leaveControls();
    await page.mouse.move(middle.x, middle.y);
    await page.waitForFunction(() => window.sinew.studio.brush.ring !== null);
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.evaluate(() => window.sinew.studio.brush.ring)).toBeNull();
    await page.keyboard.press('Alt+1');
  });
});

describe('preferences', () => {
  it('hold for the next studio on another port', async () => {
    const { page } = studio;
    const before = new URL(studio.url).port;
    await page.keyboard.press('Alt+t');
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
    await expect.poll(() => existsSync(join(folder, '.state/sinew/preferences.json'))).toBe(true);
    await page.waitForFunction(async () => ((await (await fetch('/preferences.json')).json()) as { theme?: string }).theme === 'light');
    expect(studio.complaints).toEqual([]);
    await studio.close();
    studio = await Studio.open({ folder, scene: 'bar-drop', tour: true });
    expect(new URL(studio.url).port).not.toBe(before);
    expect(await studio.page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
    expect(await studio.page.getByRole('region', { name: 'Guided tour' }).count(), 'it was skipped').toBe(0);
    expect(studio.complaints).toEqual([]);
  });
});

describe('a built-in scene', () => {
  it('offers a dropped mesh a scene of its own only: it has no folder to add meshes to', async () => {
    const { page } = studio;
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['v 0 0 0'], 'some.obj'));
      return transfer;
    });
    await page.dispatchEvent('main', 'dragenter', { dataTransfer: data });
    expect(await page.locator('[data-as]').evaluateAll((cards) => cards.map((card) => (card as HTMLElement).dataset.as))).toEqual(['scene']);
    await page.dispatchEvent('main', 'dragleave', { dataTransfer: data });
    await page.locator('[data-as]').waitFor({ state: 'detached' });
  });

  it('says that no muscle answers a touch, in a sentence that can be read, and leaves its frames as they are', async () => {
    const { page } = studio;
    await studio.leaveControls();
    await studio.play();
    await page.waitForFunction(() => window.sinew.session.transport!.recorded_to > 8);
    await studio.pause();
    await page.keyboard.press('w');
    const { x, y } = await studio.middleOfBody();
    await page.mouse.click(x, y);
    const problem = page.getByTestId('problem');
    await problem.getByText(/^No muscle of “.+” responds to touch: /).waitFor();
    await shot('untouched');
    const { box, isCut } = await problem.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const text = element.querySelector('span')!;
      return { box: { left, right, top, bottom }, isCut: text.scrollWidth > text.clientWidth + 1 || text.scrollHeight > text.clientHeight + 1 };
    });
    expect(isCut, 'cut off').toBe(false);
    expect(box.left >= 0 && box.top >= 0 && box.right <= 1440 && box.bottom <= 900, JSON.stringify(box)).toBe(true);
    expect(await studio.steps(), 'nothing to undo').toBe(0);
    await problem.getByRole('button', { name: 'Put the message away' }).click();
    await problem.waitFor({ state: 'detached' });
  });
});
