import { describe, expect, it } from 'vitest';
import type { Json } from '../document/generated/protocol';
import { deletion, moveKeys } from './timeKeys';
import { clipInWords, eventKeys, eventRows } from './events';

const KINDS = [eventKeys];

const scene: Json = {
  scene: { frames: [3, 90] },
  body: [
    { name: 'rock' },
    {
      name: 'snail',
      director: [{ kind: 'muscle', name: 'foot', period: 0.5, speed: 2, respond: { to: ['touch'], touches: [{ frame: 40, at: [0, 0, 0] }] } }],
      event: [
        { kind: 'pull', frame: 5, at: [0, 0, 0], path: [[0, 0, 0, 0], [7.5, 1, 0, 0]] },
        { kind: 'touch', frame: 20, at: [0, 0, 0] },
      ],
    },
  ],
};
const [pull, touch, own] = ['body.snail.event[0]@5', 'body.snail.event[1]@20', 'body.snail.director.foot.respond.touches[0]@40'];

describe('events on the timeline', () => {
  it('are clips as long as they hold, or as the response to them lasts', () => {
    const [row] = eventRows(scene, 24);
    expect(row).toMatchObject({ body: 'body.snail', name: 'snail' });
    expect(row!.clips.map(({ kind, at, end }) => [kind, at, end])).toEqual([['pull', 5, 13], ['touch', 20, 44], ['touch', 40, 64]]);
    expect(row!.clips.map((clip) => clipInWords(row!, clip))[0]).toBe('Pull of snail, frames 5 to 13');
  });

  it('are moved like keys, and not to before the shot', () => {
    expect(moveKeys(scene, [touch!, own!], 4, KINDS)).toMatchObject({ do: 'batch', commands: [
      { do: 'set', path: 'body.snail.director.foot.respond.touches[0].frame', value: 44 },
      { do: 'set', path: 'body.snail.event[1].frame', value: 24 },
    ] });
    expect(moveKeys(scene, [pull!], -2, KINDS)).not.toBeNull();
    expect(moveKeys(scene, [pull!], -3, KINDS)).toBeNull();
  });

  it('are removed from the end of their list on, together with keys', () => {
    expect(deletion(undefined, [pull!, 'camera.fov_deg@1', touch!], KINDS)).toEqual({ do: 'batch', label: 'delete 3 keys', commands: [
      { do: 'delete_key', path: 'camera.fov_deg', at: 1 },
      { do: 'remove', path: 'body.snail.event[1]' },
      { do: 'remove', path: 'body.snail.event[0]' },
    ] });
    expect(deletion(undefined, [own!], KINDS)).toEqual({ do: 'remove', path: 'body.snail.director.foot.respond.touches[0]' });
    expect(deletion(undefined, [], KINDS)).toBeNull();
  });
});
