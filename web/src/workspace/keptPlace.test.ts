import { describe, expect, it } from 'vitest';
import { keepPlace, keptPlace, type Place } from './keptPlace';

function storage(text: string | null = null) {
  return { getItem: () => text, setItem: (_: string, value: string) => (text = value) };
}

describe('the kept place', () => {
  it('is the one of the same scene', () => {
    const kept = storage();
    const place: Place = { scene: 'hop', workspace: 'keys', selection: 'body.ball' };
    keepPlace(place, kept);
    expect(keptPlace('hop', kept)).toEqual(place);
    expect(keptPlace('pile', kept)).toBeNull();
  });

  it('is none where something else is kept', () => {
    for (const text of [null, '', 'x', '3', '{}', '{"scene":"hop","workspace":"attic"}']) expect(keptPlace('hop', storage(text))).toBeNull();
    expect(keptPlace('hop', storage('{"scene":"hop","workspace":"keys","selection":3}'))?.selection).toBeNull();
  });
});
