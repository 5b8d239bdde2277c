import { describe, expect, it } from 'vitest';
import { keepPlace, keptPlace, type Place } from './keptPlace';

const WORKSPACES = ['stage', 'keys'];

function storage(text: string | null = null) {
  return { getItem: () => text, setItem: (_: string, value: string) => (text = value) };
}

describe('the kept place', () => {
  it('is the one of the same scene', () => {
    const kept = storage();
    const place: Place = { scene: 'hop', workspace: 'keys', selection: 'body.ball' };
    keepPlace(place, kept);
    expect(keptPlace('hop', WORKSPACES, kept)).toEqual(place);
    expect(keptPlace('pile', WORKSPACES, kept)).toBeNull();
  });

  it('is none where something else is kept', () => {
    for (const text of [null, '', 'x', '3', '{}', '{"scene":"hop","workspace":"attic"}']) expect(keptPlace('hop', WORKSPACES, storage(text))).toBeNull();
    expect(keptPlace('hop', WORKSPACES, storage('{"scene":"hop","workspace":"keys","selection":3}'))?.selection).toBeNull();
  });
});
