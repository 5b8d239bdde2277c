import { describe, expect, it } from 'vitest';
import { keyFrames, moveKeys } from '../timeline/timeKeys';
import { channelsOf } from './channels';
import type { Table } from './scene';
import { eventKeys } from '../timeline/events';

const KINDS = [eventKeys];

const scene: Table = {
  scene: { frames: [1, 96], gravity: [0, -9.81, 0] },
  camera: { eye: [[[1, 0], [48, 2]], 1, 3], fov_deg: 40 },
  obstacle: [{ name: 'ball', shape: 'sphere', radius: 1, at: [0, [[1, 1], [10, 2]], 0] }],
  body: [{
    name: 'jelly', friction: [[1, 0.5], [20, 1]], scale: [1, 2, 3],
    director: [{ kind: 'muscle', name: 'swim', period: { keys: [[1, 1.2], [30, 0.8]], outside: 'zero' }, primary: [[0, 1], [0.5, 0.7]] }],
  }],
};

describe('keyed channels', () => {
  it('are found wherever they are, charts and plain vectors left out', () => {
    expect(channelsOf(scene).map(({ path, name, ownerName }) => `${path} | ${ownerName} | ${name}`)).toEqual([
      'camera.eye[0] | Camera | Eye x',
      'obstacle.ball.at[1] | ball | Position y',
      'body.jelly.friction | jelly | Friction',
      'body.jelly.director.swim.period | jelly · swim | Period',
    ]);
    expect(keyFrames(scene, KINDS)).toEqual([1, 10, 20, 30, 48]);
  });

  it('move together without running over each other', () => {
    const moved = moveKeys(scene, ['camera.eye[0]@1', 'camera.eye[0]@48'], 5, KINDS);
    expect(moved).toMatchObject({ do: 'batch', commands: [{ from: 48, to: 53 }, { from: 1, to: 6 }] });
    expect(moveKeys(scene, ['obstacle.ball.at[1]@1'], 9, KINDS)).toBeNull();
    expect(moveKeys(scene, ['obstacle.ball.at[1]@1', 'obstacle.ball.at[1]@10'], 9, KINDS)).toMatchObject({ commands: [{ from: 10 }, { from: 1 }] });
    expect(moveKeys(scene, [], 3, KINDS)).toBeNull();
  });
});
