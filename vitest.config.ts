import { defineConfig } from 'vitest/config';

/**
 * `unit` runs anywhere; `real` needs the built parts (`npm run parts`) and runs its files one after the other,
 * so that two worlds never compete for two cores.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,world,scenarios,explorer,bench,test}/**/*.test.ts'],
          exclude: ['**/*.real.test.ts', 'node_modules/**', 'dist/**'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'real',
          include: ['{src,world,scenarios,bench,test}/**/*.real.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
