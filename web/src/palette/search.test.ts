import { describe, expect, it } from 'vitest';
import { type Named, grouped, match, ranked } from './search';

const named = (...names: string[]): Named[] => names.map((name) => ({ name }));
const names = (query: string, items: readonly Named[]): string[] => ranked(query, items).map(({ item }) => item.name);

describe('the palette', () => {
  it('puts what begins with the words first', () => {
    const items = named('Undo', 'Play or pause', 'Pin in a box', 'Export…', 'Next key');
    expect(names('p', items)[0]).toBe('Play or pause');
    expect(names('pin box', items)).toEqual(['Pin in a box']);
    expect(names('xport', items)).toEqual(['Export…']);
    expect(names('export', items)).toEqual(['Export…']);
    expect(names('plps', items)).toEqual(['Play or pause']);
    expect(names('', items)).toEqual(items.map(({ name }) => name));
    expect(match('zzz', { name: 'Undo' })).toBe(0);
  });

  it('ranks names, words, beginnings, what is inside, what is said, and scattered letters last', () => {
    const items: Named[] = [
      { name: 'Ghosts of what comes next' }, { name: 'f-o-x-y', note: '' }, { name: 'Unrelated', note: 'a fox runs' }, { name: 'outfoxed' },
      { name: 'red foxes' }, { name: 'the fox' }, { name: 'foxhole' }, { name: 'Fox/scene.toml' },
    ];
    expect(names('fox', items)).toEqual(['Fox/scene.toml', 'foxhole', 'the fox', 'red foxes', 'outfoxed', 'Unrelated']);
  });

  it('puts the group with the best hit first, and leaves out what only has the letters where something is called so', () => {
    const commands: Named[] = [{ name: 'Ghosts of what comes next' }, { name: 'Frame orbit exactly' }];
    const scenes: Named[] = [{ name: 'worm-crawl', note: 'a vertical wave' }, { name: 'Fox/scene.toml', note: 'In the folder' }];
    const values: Named[] = [{ name: 'Vertices', note: 'Flesh' }];
    const groups = [{ heading: 'Commands', entries: commands, most: 8 }, { heading: 'Values', entries: values, most: 8 }, { heading: 'Scenes', entries: scenes, most: 8 }];
    expect(grouped('Fox', groups)).toEqual([{ heading: 'Scenes', entries: [scenes[1]] }]);
    expect(grouped('vertic', groups)).toEqual([{ heading: 'Values', entries: values }]);
    expect(grouped('foex', groups)).toEqual([{ heading: 'Commands', entries: [commands[1]] }]);
    expect(grouped('vertical', groups)).toEqual([{ heading: 'Scenes', entries: [scenes[0]] }]);
  });
});
