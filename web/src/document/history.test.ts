import { describe, expect, it } from 'vitest';
import { History } from './history';
import { framesPerSecond, measure, milliseconds } from './words';

describe('history', () => {
  it('forgets what was cut off', () => {
    const history = new History();
    for (let frame = 1; frame <= 10; frame++) history.note(frame, frame / 10, [frame, -frame]);
    history.keep(3, 6);
    expect([2, 3, 6, 7].map((frame) => history.stepMsAt(frame))).toEqual([undefined, 0.3, 0.6, undefined]);
    expect(history.heightAt(1, 4)).toBe(-4);
    expect(history.heightAt(2, 4)).toBeUndefined();
    const { revision } = history;
    history.keep(3, 6);
    expect(history.revision).toBe(revision);
    expect([history.hasGaps(3, 6), history.hasGaps(3, 7)]).toEqual([false, true]);
    history.clear();
    expect(history.stepMsAt(4)).toBeUndefined();
  });
});

describe('numbers in words', () => {
  it('keep three digits and never jump to exponents at usual sizes', () => {
    const shown = [0, 0.0421, 1.2345, 12.345, 123.45, 12345.6].map(measure);
    expect(shown).toEqual(['0', '0.042', '1.23', '12.3', '123', '12,346']);
    expect(measure(Number.NaN)).toBe('–');
    expect([0.0021, 0.58, 77.6].map(milliseconds)).toEqual(['0.002', '0.58', '77.6']);
    expect([framesPerSecond([24, 1]), framesPerSecond([24000, 1001])]).toEqual(['24', '23.976']);
  });
});
