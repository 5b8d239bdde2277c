import { describe, expect, it } from 'vitest';
import type { Command, Hit } from '../../document/generated/protocol';
import type { Ray } from '../../document/vector';
import type { Hands, PullState } from './gesture';
import { Idle } from './idle';

const HIT: Hit = { body: 2, at_rest: [0.1, 0, 0], at: [0, 0, 0] };

/** Looks along −z; pixel (x, y) is the point (x / 100, −y / 100) of the plane z = 0. */
function setup(hit: Hit | null) {
  const sent: Command[] = [];
  const selected: number[] = [];
  let marked = 0;
  const hands: Hands = {
    pick: () => Promise.resolve(hit),
    send: (command) => sent.push(command),
    select: (body) => selected.push(body),
    rayThrough: (x, y): Ray => ({ origin: [x / 100, -y / 100, 5], direction: [0, 0, -1] }),
    forward: () => [0, 0, -1],
    showPull: () => (marked += 1),
    hidePull: () => (marked = -1),
  };
  const idle: PullState = new Idle(hands);
  return { idle, sent, selected, marked: () => marked };
}

const answered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('pulling', () => {
  it('holds the picked point, follows the pointer and lets go', async () => {
    const { idle, sent, marked } = setup(HIT);
    let state = idle.press({ x: 0, y: 0 });
    await answered();
    state = state.move({ x: 50, y: -20 });
    state = state.move({ x: 100, y: 0 });
    expect(state.name).toBe('pulling');
    state = state.release();
    expect(sent).toEqual([
      { do: 'drag', body: 2, at_rest: [0.1, 0, 0], to: [0.5, 0.2, 0] },
      { do: 'drag', body: 2, at_rest: [0.1, 0, 0], to: [1, 0, 0] },
      { do: 'let_go', body: 2 },
    ]);
    expect([state.name, marked()]).toEqual(['idle', -1]);
  });

  it('begins when the answer comes after a quick flick that holds still', async () => {
    const { idle, sent } = setup(HIT);
    let state = idle.press({ x: 0, y: 0 }, (later) => (state = later));
    state = state.move({ x: 80, y: 0 });
    expect([state.name, sent.length]).toEqual(['reaching', 0]);
    await answered();
    expect([state.name, sent]).toEqual(['pulling', [{ do: 'drag', body: 2, at_rest: [0.1, 0, 0], to: [0.8, 0, 0] }]]);
  });

  it('is none when it was let go before the answer', async () => {
    const { idle, sent } = setup(HIT);
    let state = idle.press({ x: 0, y: 0 }, (later) => (state = later));
    state = state.move({ x: 80, y: 0 }).release();
    await answered();
    expect([state.name, sent]).toEqual(['idle', []]);
  });

  it('that does not move selects and changes nothing', async () => {
    const { idle, sent, selected } = setup(HIT);
    let state = idle.press({ x: 10, y: 10 });
    await answered();
    state = state.move({ x: 11, y: 11 }).release();
    expect([state.name, sent, selected]).toEqual(['idle', [], [2]]);
  });

  it('on nothing does nothing', async () => {
    const { idle, sent } = setup(null);
    const state = idle.press({ x: 0, y: 0 });
    await answered();
    expect(state.move({ x: 90, y: 90 }).name).toBe('reaching');
    expect(sent).toEqual([]);
  });

  it('lets go when it is given up', async () => {
    const { idle, sent } = setup(HIT);
    const state = idle.press({ x: 0, y: 0 });
    await answered();
    expect(state.move({ x: 90, y: 0 }).cancel().name).toBe('idle');
    expect(sent.at(-1)).toEqual({ do: 'let_go', body: 2 });
  });
});
