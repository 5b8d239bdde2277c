import { defineConfig } from 'vitest/config';

/** The page in a real browser, on a real server. One at a time: a software renderer takes what the machine has. Tests wait for states; these bounds are for
 * a machine at several times its load. */
export default defineConfig({
  test: { include: ['e2e/**/*.e2e.ts'], globalSetup: 'e2e/oneBrowser.ts', testTimeout: 600_000, hookTimeout: 240_000, fileParallelism: false, expect: { poll: { timeout: 60_000, interval: 100 } } },
});
