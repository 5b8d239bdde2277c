import { describe, expect, it } from 'vitest';
import { TimeScale } from './timeScale';

describe('the time scale', () => {
  it('leads from frames to pixels and back', () => {
    const scale = new TimeScale(1, 96, 1000);
    for (const frame of [1, 40, 96]) expect(scale.frame(scale.x(frame))).toBeCloseTo(frame, 9);
    expect([scale.frameAt(-500), scale.frameAt(5000)]).toEqual([1, 96]);
  });

  it('tells what it shows, for what is drawn under it', () => {
    const scale = new TimeScale(1, 48, 1000);
    expect(scale.window).toMatchObject({ from: 1, to: 48 });
    expect(scale.window.ticks).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45]);
    scale.zoom(scale.x(20), 0.5);
    const { from, to } = scale.window;
    expect([to - from, scale.x(from), scale.x(to)].map((each) => Number(each.toFixed(6)))).toEqual([23.5, 16, 984]);
  });

  it('zooms about the pointer and stays within the scene', () => {
    const scale = new TimeScale(1, 96, 1000);
    const x = scale.x(40);
    scale.zoom(x, 0.5);
    expect(scale.frame(x)).toBeCloseTo(40, 6);
    scale.pan(-1e6);
    expect(scale.x(96)).toBeLessThanOrEqual(1000);
    scale.zoom(x, 1000);
    expect([scale.frameAt(scale.x(1)), scale.frameAt(scale.x(96))]).toEqual([1, 96]);
    expect(scale.x(1)).toBeGreaterThan(0);
  });

  it('has numbers at round frames, far enough apart to be read', () => {
    for (const [last, width] of [[96, 1100], [10_000, 900], [5, 900]] as const) {
      const scale = new TimeScale(1, last, width);
      const major = scale.ticks().filter((tick) => tick.major);
      const gaps = major.slice(1).map((tick, i) => scale.x(tick.frame) - scale.x(major[i]!.frame));
      expect(Math.min(...gaps), `${last} frames`).toBeGreaterThan(40);
      expect(major.length).toBeGreaterThan(2);
    }
  });

  it('survives a scene of one frame', () => {
    const scale = new TimeScale(7, 7, 500);
    scale.zoom(100, 0.5);
    expect(scale.frameAt(300)).toBe(7);
    expect(Number.isFinite(scale.x(7))).toBe(true);
  });
});
