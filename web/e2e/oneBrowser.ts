/** One Chromium for all files: starting one takes seconds, a context of its own for each test file none. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
];

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests connect to the browser. */
    browser: string;
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const launch = () => chromium.launchServer({ executablePath: browserPath(), args: FLAGS, timeout: 120_000 });
  // Chromium now and then dies of a fault of its own before it shows a page (seen: a segmentation fault in one of some hundred starts).
  const server = await launch().catch(launch).catch(launch);
  project.provide('browser', server.wsEndpoint());
  return () => server.close();
}

export function browserPath(): string {
  const found = [process.env.CHROMIUM ?? '', ...BROWSERS].find((path) => path && existsSync(path));
  if (!found) throw new Error(`no browser found: install Chromium (tried ${BROWSERS.join(', ')}) or set CHROMIUM`);
  return found;
}
