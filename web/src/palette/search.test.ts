import { describe, expect, it } from 'vitest';
import { match, ranked } from './search';

describe('the palette', () => {
  it('puts what begins with the words first', () => {
    const names = ['Undo', 'Play or pause', 'Pin in a box', 'Export…', 'Next key'];
    expect(ranked('p', names, (name) => name)[0]).toBe('Play or pause');
    expect(ranked('pin box', names, (name) => name)).toEqual(['Pin in a box']);
    expect(ranked('xport', names, (name) => name)).toEqual(['Export…']);
    expect(ranked('plps', names, (name) => name)).toEqual(['Play or pause']);
    expect(ranked('', names, (name) => name)).toEqual(names);
    expect(match('zzz', 'Undo')).toBe(0);
  });
});
