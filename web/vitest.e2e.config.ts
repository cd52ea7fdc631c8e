import { defineConfig } from 'vitest/config';

// The real program and Debian's Chromium; one browser for all tests, one after the other.
export default defineConfig({
  test: { include: ['tests/e2e/*.test.ts'], fileParallelism: false, testTimeout: 120_000, hookTimeout: 120_000 },
});
