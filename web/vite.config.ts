import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

/** Ships the licences of what is bundled beside it. */
function licences(): Plugin {
  const packages = ['three', 'svelte', '@fontsource-variable/inter'];
  const licenceFiles = ['LICENSE', 'LICENSE.md'];
  const textOf = (name: string): string => {
    for (const file of licenceFiles) {
      try {
        return `${name}\n\n${readFileSync(`node_modules/${name}/${file}`, 'utf8').trim()}\n`;
      } catch {
        // The next name may be the right one.
      }
    }
    throw new Error(`${name} comes without a licence file`);
  };
  return {
    name: 'licences',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: packages.map(textOf).join('\n\n') });
    },
  };
}

export default defineConfig({
  plugins: [svelte(), licences()],
  build: {
    target: 'es2023',
    // The studio's content policy allows files of its own only: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: false,
    chunkSizeWarningLimit: 1500,
  },
  test: { include: ['src/**/*.test.ts'] },
} as Parameters<typeof defineConfig>[0]);
