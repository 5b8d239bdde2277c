/** Reads colours off the screen. A second page decodes pictures: the studio's own allows no foreign images. */
import type { Browser, Page } from 'playwright-core';

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue, 255 per pixel. */
  data: number[];
}

export class Eyes {
  private constructor(
    private readonly page: Page,
    private readonly decoder: Page,
  ) {}

  static async of(page: Page): Promise<Eyes> {
    const browser = page.context().browser() as Browser;
    const decoder = await browser.newPage();
    await page.bringToFront();
    return new Eyes(page, decoder);
  }

  /** The screen about a place, in pixels of the page. */
  async around(x: number, y: number, reach = 2): Promise<[number, number, number]> {
    const clip = { x: x - reach, y: y - reach, width: 2 * reach + 1, height: 2 * reach + 1 };
    return mean(await this.decode(await this.page.screenshot({ clip, animations: 'disabled' })));
  }

  async region(clip: { x: number; y: number; width: number; height: number }): Promise<Picture> {
    return this.decode(await this.page.screenshot({ clip, animations: 'disabled' }));
  }

  decode(png: Buffer): Promise<Picture> {
    return this.decoder.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const pen = canvas.getContext('2d')!;
      pen.drawImage(bitmap, 0, 0);
      return { width: bitmap.width, height: bitmap.height, data: [...pen.getImageData(0, 0, bitmap.width, bitmap.height).data] };
    }, png.toString('base64'));
  }
}

function mean({ data }: Picture): [number, number, number] {
  const sums: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < data.length; i += 4) for (let c = 0; c < 3; c++) sums[c]! += data[i + c]!;
  return sums.map((sum) => (sum * 4) / data.length) as [number, number, number];
}

/** How many pixels differ by more than a little. */
export function differing(a: Picture, b: Picture): number {
  let count = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    const away = [0, 1, 2].reduce((sum, c) => sum + Math.abs(a.data[i + c]! - b.data[i + c]!), 0);
    if (away > 40) count += 1;
  }
  return count;
}
