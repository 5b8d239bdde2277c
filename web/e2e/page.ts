/** A page of the one browser that all tests share. */
import { type Browser, type Page, chromium } from 'playwright-core';
import { inject } from 'vitest';
import { FLAGS, browserPath } from './oneBrowser';

/** An empty page in a context of its own: nothing is shared with other tests. A browser of its own where the one for all has died. */
export async function emptyPage(width: number, height: number): Promise<[Browser, Page]> {
  const launch = () => chromium.launch({ executablePath: browserPath(), args: FLAGS, timeout: 120_000 });
  const browser = await chromium.connect(inject('browser'), { timeout: 120_000 }).catch(launch);
  const context = await browser.newContext({ viewport: { width, height } });
  return [browser, await context.newPage()];
}
