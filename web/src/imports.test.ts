/** Which folder may import which. Types count too: what only knows a type still depends on it. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { expect, test } from 'vitest';

const SRC = import.meta.dirname;

/** What a folder never imports, and why. Tests may. */
const NEVER: Record<string, { folders: string[]; why: string }> = {
  document: { folders: ['stage', 'tools', 'panels', 'workspace'], why: 'the document knows no picture of it and no tool' },
  client: { folders: ['stage', 'tools', 'panels', 'workspace'], why: 'the connection serves any page' },
  stage: { folders: ['tools', 'panels'], why: 'what is drawn does not know what the hand does' },
  ui: { folders: ['client', 'stage', 'panels', 'fields'], why: 'small controls know nothing of the stage' },
};

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.(ts|svelte)$/.test(entry.name) && !entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

/** The files of the page that a file imports, from the top folder. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
  return found.map((name) => normalize(join(dirname(path), name)).slice(SRC.length + 1));
}

const folderOf = (path: string): string => path.split(sep)[0] ?? '';

test.each(Object.keys(NEVER))('%s/ imports nothing that it must not know', (folder) => {
  const { folders, why } = NEVER[folder] ?? { folders: [], why: '' };
  const files = sources(join(SRC, folder));
  expect(files.length).toBeGreaterThan(0);
  const wrong = files.flatMap((file) =>
    importsOf(file).filter((name) => folders.includes(folderOf(name))).map((name) => `${file.slice(SRC.length + 1)} imports ${name}`),
  );
  expect(wrong, why).toEqual([]);
});

test('imports are found', () => {
  expect(importsOf(join(SRC, 'main.ts')).length).toBeGreaterThan(0);
  expect(importsOf(join(SRC, 'panels', 'StagePanel.svelte'))).toContain(join('stage', 'viewport'));
});
