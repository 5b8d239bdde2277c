import { expect, it } from 'vitest';
import type { Command, SceneCommand } from '../document/generated/protocol';
import { openGesture } from './gesture';

const set = (value: number): SceneCommand => ({ do: 'set', path: 'scene.substeps', value });

it('a gesture begins with its first preview and ends once', () => {
  const sent: Command[] = [];
  const gesture = openGesture('drag', (command) => sent.push(command));
  gesture.preview(set(1));
  gesture.preview(set(2));
  gesture.commit();
  gesture.cancel();
  gesture.preview(set(3));
  expect(sent.map((command) => command.do)).toEqual(['begin', 'preview', 'preview', 'commit']);
});

it('a gesture without a preview says nothing', () => {
  const sent: Command[] = [];
  openGesture('click', (command) => sent.push(command)).commit();
  expect(sent).toEqual([]);
});
