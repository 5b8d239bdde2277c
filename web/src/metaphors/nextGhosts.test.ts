import { Scene } from 'three';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../client/wire';
import type { DrawingPlace } from '../stage/drawing';
import type { FieldPaint } from '../stage/fieldPaint';
import { NextGhosts } from './nextGhosts';

const place: DrawingPlace = { scene: new Scene(), paint: {} as FieldPaint, bodies: () => [], draw() {}, redraw() {} };
const frame = (number: number, preview: number): Frame => ({ frame: number, tick: 0, stepMs: preview, obstacles: [], bodies: [] });

describe('ghosts of what comes next', () => {
  it('give their slot to the next while the first is on its way', () => {
    const ghosts = new NextGhosts(place);
    const counts = [[2, true], [3, true], [3, true], [5, false], [9, false], [9, false]].map(([number, isOnItsWay]) => {
      ghosts.show(frame(number as number, 1), isOnItsWay as boolean);
      return ghosts.count;
    });
    expect(counts).toEqual([1, 1, 1, 1, 2, 2]);
    ghosts.show(frame(2, 2), true);
    expect(ghosts.count).toBe(1);
    ghosts.show(frame(5, 3), false);
    ghosts.show(frame(9, 3), false);
    expect(ghosts.count).toBe(2);
  });

  it('that arrive after they were put away stay out', () => {
    const ghosts = new NextGhosts(place);
    ghosts.show(frame(2, 1), false);
    ghosts.want(false);
    ghosts.show(frame(5, 1), false);
    expect(ghosts.count).toBe(0);
    ghosts.want(true);
    ghosts.show(frame(5, 2), false);
    expect(ghosts.count).toBe(1);
  });
});
