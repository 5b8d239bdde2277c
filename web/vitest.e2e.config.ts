import { defineConfig } from 'vitest/config';

/** The page in a real browser, on a real server. One at a time: a software renderer takes what the machine has. */
export default defineConfig({
  test: { include: ['e2e/**/*.e2e.ts'], testTimeout: 180_000, hookTimeout: 90_000, fileParallelism: false, expect: { poll: { timeout: 20_000, interval: 100 } } },
});
