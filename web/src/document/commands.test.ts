import { describe, expect, it } from 'vitest';
import { flatten, keyNumber, keyState, keyVector, setEntry, setNumber, unkey } from './commands';

describe('edits of numbers', () => {
  it('set constants and key what is keyed', () => {
    expect(setNumber('a', 1, 7, 2)).toEqual({ do: 'set', path: 'a', value: 2 });
    expect(setNumber('a', [[1, 1]], 7, 2)).toEqual({ do: 'insert_key', path: 'a', at: 7, value: 2 });
    expect(setEntry('at', [0, 1, 2], 1, 7, 5)).toEqual({ do: 'set', path: 'at', value: [0, 5, 2] });
    expect(setEntry('at', [0, [[1, 1]], 2], 1, 7, 5)).toEqual({ do: 'insert_key', path: 'at[1]', at: 7, value: 5 });
    expect(setEntry('at', [0, [[1, 1]], 2], 0, 7, 5)).toEqual({ do: 'set', path: 'at', value: [5, [[1, 1]], 2] });
  });

  it('key a value where it stands, written in the file or not', () => {
    expect(keyNumber('a', 3, 7)).toEqual({ do: 'set', path: 'a', value: [[7, 3]] });
    expect(keyNumber('a', [[1, 0], [11, 10]], 6)).toEqual({ do: 'insert_key', path: 'a', at: 6, value: 5 });
    expect(keyNumber('a', 'word', 6)).toBeNull();
    expect(keyVector('at', [1, 2, 3], 7)).toEqual({ do: 'set', path: 'at', value: [[[7, 1]], [[7, 2]], [[7, 3]]] });
    expect(keyVector('at', [1, [[1, 2]], 3], 7)).toMatchObject({ do: 'batch', commands: [{ path: 'at[0]' }, { do: 'insert_key', path: 'at[1]', value: 2 }, {}] });
  });

  it('take keys away', () => {
    expect(unkey('a', [[7, 1]], 7)).toEqual({ do: 'delete_key', path: 'a', at: 7 });
    expect(unkey('a', [[7, 1]], 8)).toBeNull();
    expect(unkey('at', [1, [[7, 2]], [[7, 3]]], 7)).toMatchObject({ commands: [{ path: 'at[1]' }, { path: 'at[2]' }] });
    expect(flatten('a', [[1, 0], [11, 10]], 6)).toEqual({ do: 'set', path: 'a', value: 5 });
    expect(flatten('at', [1, [[1, 2]], 3], 6)).toEqual({ do: 'set', path: 'at', value: [1, 2, 3] });
    expect([keyState(1, 7), keyState([[1, 0]], 7), keyState([0, [[7, 0]], 0], 7), keyState([1, 2, 3], 7)]).toEqual(['none', 'elsewhere', 'here', 'none']);
  });
});
