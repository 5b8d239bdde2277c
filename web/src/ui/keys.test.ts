import { describe, expect, it } from 'vitest';
import { keyInWords, keyOf } from './keys';
import { meaning } from '../tools/pointer';

const press = (key: string, held: Partial<Record<'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) =>
  keyOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held });

describe('keys', () => {
  it('have one notation', () => {
    expect([press(' '), press('f'), press('F', { shiftKey: true })]).toEqual(['Space', 'F', 'Shift+F']);
    expect(press('ArrowLeft', { shiftKey: true, metaKey: true })).toBe('Ctrl+Shift+ArrowLeft');
    expect(keyInWords('Shift+ArrowLeft')).toBe('Shift ←');
  });
});

describe('mouse buttons', () => {
  it('mean what Blender and Maya users expect', () => {
    const of = (button: number, altKey = false, shiftKey = false) => meaning({ button, altKey, shiftKey });
    expect([of(0), of(1), of(0, true), of(1, false, true), of(2), of(4)]).toEqual([
      'tool', 'orbit', 'orbit', 'pan', 'pan', 'nothing',
    ]);
  });
});
