import { defineConfig } from 'vitest/config';

/**
 * `unit` and `embedded` run anywhere; `real` needs the built parts (`npm run parts`). Of the latter two the files run one
 * after the other, and after the others, so that two worlds never compete for two cores.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,world,scenarios,explorer,bench,test}/**/*.test.ts'],
          exclude: ['**/*.{real,embedded}.test.ts', 'node_modules/**', 'dist/**'],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'embedded',
          include: ['{src,world,scenarios,bench,test}/**/*.embedded.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'real',
          include: ['{src,world,scenarios,bench,test}/**/*.real.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
