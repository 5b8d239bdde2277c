import { describe, expect, it } from 'vitest';
import { columnHeight, columnsFor } from './columns';

/** The tools of the Keys workspace. */
const KEYS = [2, 3, 3, 3, 1];

describe('tools over the stage', () => {
  it('stand in one column where there is room', () => {
    expect(columnHeight(KEYS, 1)).toBe(402);
    expect(columnsFor(KEYS, 402)).toBe(1);
  });

  it('go on in another column, and fit, where there is less', () => {
    expect(columnsFor(KEYS, 401)).toBe(2);
    expect(columnHeight(KEYS, 2)).toBeLessThan(300);
    expect(columnsFor(KEYS, 200)).toBe(3);
    expect(columnHeight(KEYS, 3)).toBeLessThan(200);
  });

  it('never need more columns than the largest group has tools', () => {
    expect(columnsFor(KEYS, 0)).toBe(3);
    expect(columnsFor([], 0)).toBe(1);
  });
});
