import { expect, it } from 'vitest';
import { slowness } from './slowness';

const body = (name: string, vertices: number, solver: Record<string, string | number>) => ({ name, flesh: { kind: 'tets', vertices }, solver });
const offers = (...bodies: ReturnType<typeof body>[]) => slowness({ body: bodies }, 1234)?.actions.map(({ name }) => name);

it('offers fewer points to the body that has most, and descent instead of Newton', () => {
  const descent = { kind: 'fem', method: 'descent' };
  expect(offers(body('spot', 1800, descent), body('cow', 3000, descent))).toEqual(['Use 1,000 vertices']);
  expect(offers(body('cow', 3000, { kind: 'fem' }))).toEqual(['Use 1,000 vertices', 'Use descent']);
  expect(offers(body('cow', 800, descent))).toBeUndefined();
  expect(offers(body('cow', 3000, { kind: 'shape_matching' }))).toBeUndefined();
  const said = slowness({ body: [body('spot', 1800, descent), body('cow', 3000, descent)] }, 1234)!;
  expect(said.text).toContain('cow');
  expect(said.help).toContain('1.2 s');
  expect(said.actions[0]!.command).toEqual({ do: 'edit', command: { do: 'set', path: 'body.cow.flesh.vertices', value: 1000 } });
});
