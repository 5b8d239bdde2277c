import { describe, expect, test } from 'vitest';
import { takeBefore } from '../keys/doing';
import { nextTake } from './takes';

describe('names of takes', () => {
  test('a run is never kept under a name that is taken', () => {
    expect(nextTake(['take-1', 'take-3'])).toBe('take-2');
  });

  test('a search is compared with the run before the last one', () => {
    expect(takeBefore(['mine'])).toBeUndefined();
    expect(takeBefore(['before-keys-10', 'before-keys', 'before-keys-9', 'before-keys-mine'])).toBe('before-keys-10');
  });
});
