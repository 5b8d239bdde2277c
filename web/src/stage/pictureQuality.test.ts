import { describe, expect, it } from 'vitest';
import { PictureQuality, QUALITIES } from './pictureQuality';

/** Draws `count` pictures that take this long at each quality. */
function drawn(quality: PictureQuality, count: number, ms: () => number): void {
  for (let i = 0; i < count; i++) quality.note(ms());
}

describe('the quality of pictures', () => {
  it('stays where pictures are fast enough, and one slow picture changes nothing', () => {
    const quality = new PictureQuality();
    drawn(quality, 50, () => 45);
    quality.note(2000);
    expect(quality.now).toBe(QUALITIES[0]);
  });

  it('is lowered until pictures take a twentieth of a second, and no further', () => {
    const quality = new PictureQuality();
    drawn(quality, 100, () => 90 * quality.now.resolution);
    expect(quality.now).toBe(QUALITIES[2]);
    drawn(quality, 100, () => 400);
    expect(quality.now).toBe(QUALITIES.at(-1));
  });

  it('comes back when there is room, and stops trying what failed', () => {
    const quality = new PictureQuality();
    drawn(quality, 12, () => 200);
    drawn(quality, 200, () => 17);
    expect(quality.now).toBe(QUALITIES[0]);
    let changes = 0;
    let before = quality.now;
    for (let i = 0; i < 4000; i++) {
      quality.note(quality.now === QUALITIES[0] ? 80 : 20);
      if (quality.now !== before) changes += 1;
      before = quality.now;
    }
    expect(changes).toBeLessThan(14);
    expect(quality.now).toBe(QUALITIES[1]);
  });
});
