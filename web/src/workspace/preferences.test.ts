import { expect, it } from 'vitest';
import type { Command } from '../document/generated/protocol';
import { Preferences } from './preferences';

const answer = (text: string, status = 200): (() => Promise<Response>) => async () => new Response(text, { status });

it('what is preferred comes from the server and goes there', async () => {
  const preferences = new Preferences();
  const sent: Command[] = [];
  preferences.connect((command) => sent.push(command));
  await preferences.load(answer('{"theme":"light","odd":3}'));
  expect([preferences.get('theme'), preferences.get('odd')]).toEqual(['light', undefined]);
  preferences.set('theme', 'light');
  preferences.set('tour', 'seen');
  expect(sent, 'only what changed').toEqual([{ do: 'prefer', key: 'tour', value: 'seen' }]);
  expect(preferences.get('tour')).toBe('seen');
});

it('without an answer that can be read everything is as at first', async () => {
  const preferences = new Preferences();
  for (const bad of [answer('', 404), answer('{'), answer('null'), () => Promise.reject(new Error('gone'))]) {
    await preferences.load(bad);
    expect(preferences.get('theme')).toBeUndefined();
  }
});
