import { defineConfig } from 'vitest/config';

// Three files with plain names, which the program carries (web/dist, committed). Relative addresses keep the key that
// is part of the page's own address.
export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: 'viewer.js',
        assetFileNames: 'viewer[extname]', // the style sheet is the only one
      },
    },
  },
  test: { include: ['tests/unit/*.test.ts'] },
});
