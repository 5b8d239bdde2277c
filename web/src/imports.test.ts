/** Which folder may import which: the whole direction, without circles. Types count too: what only knows a type still depends on it. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { expect, test } from 'vitest';

const SRC = import.meta.dirname;

/** Folders in their order: each may import only from those named, which stand before it. What it is stands in ARCHITECTURE.md. Tests may import anything. */
const BELOW_WORKSPACES: Record<string, readonly string[]> = {
  document: [],
  client: ['document'],
  ui: ['document'],
  stage: ['document', 'client'],
  workspace: ['document', 'client', 'ui', 'stage'],
  parts: ['document', 'client', 'ui', 'stage', 'workspace'],
  tools: ['document', 'client', 'ui', 'stage', 'workspace'],
  timeline: ['document', 'client', 'ui', 'workspace', 'parts'],
  curves: ['document', 'client', 'ui', 'workspace', 'timeline'],
  inspector: ['document', 'client', 'ui', 'stage', 'workspace', 'parts'],
};
const ABOVE_WORKSPACES: Record<string, readonly string[]> = {
  outliner: ['client', 'ui', 'workspace', 'parts'],
  actions: ['client', 'ui', 'workspace', 'parts', 'tools', 'timeline'],
  palette: ['document', 'ui', 'workspace', 'parts', 'actions'],
  gallery: ['client', 'ui', 'workspace', 'actions', 'palette'],
  dialogs: ['document', 'client', 'ui', 'workspace', 'parts', 'inspector', 'actions'],
  panels: ['document', 'client', 'ui', 'stage', 'workspace', 'tools', 'timeline', 'curves', 'inspector', 'actions'],
};
const SHARED: Record<string, readonly string[]> = { ...BELOW_WORKSPACES, ...ABOVE_WORKSPACES };

/** Where workspaces are named, a line each. */
const LIST = 'workspaces.ts';

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
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map((match) => match[1] ?? '');
  return found.map((name) => normalize(join(dirname(path), name)).slice(SRC.length + 1));
}

/** The folder of a path from the top; none for a file of the top. */
const folderOf = (path: string): string | null => (path.includes(sep) ? (path.split(sep)[0] ?? null) : null);

const files = sources(SRC).map((path) => ({ name: path.slice(SRC.length + 1), imports: importsOf(path), text: readFileSync(path, 'utf8') }));
const folders = [...new Set(files.flatMap(({ name }) => folderOf(name) ?? []))];
const workspaces = importsOf(join(SRC, LIST)).flatMap((name) => folderOf(name) ?? []);

/** Imports from one folder into another that stands not among those it may know. */
function wrongIn(folder: string, may: readonly string[]): string[] {
  const own = files.filter(({ name }) => folderOf(name) === folder);
  return own.flatMap(({ name, imports }) => imports.filter((each) => folderOf(each) !== folder && !may.includes(folderOf(each) ?? '')).map((each) => `${name} imports ${each}`));
}

test('every folder has its place: in the table, or in the list of workspaces', () => {
  expect(folders.toSorted()).toEqual([...Object.keys(SHARED), ...workspaces].toSorted());
});

test('the table has no circles: a folder imports only what stands before it', () => {
  const names = Object.keys(SHARED);
  const wrong = names.flatMap((folder, i) => SHARED[folder]!.filter((each) => !names.slice(0, i).includes(each)).map((each) => `${folder} → ${each}`));
  expect(wrong).toEqual([]);
});

test.each(Object.keys(SHARED))('%s/ imports only what the table says', (folder) => {
  expect(wrongIn(folder, SHARED[folder]!)).toEqual([]);
});

test.each(Object.keys(SHARED))('%s/ imports all that the table says: a line that nobody needs goes', (folder) => {
  const known = new Set(files.filter(({ name }) => folderOf(name) === folder).flatMap(({ imports }) => imports.map(folderOf)));
  expect(SHARED[folder]!.filter((each) => !known.has(each))).toEqual([]);
});

test.each(workspaces)('the workspace %s/ imports what every workspace may, and no other workspace', (folder) => {
  expect(wrongIn(folder, Object.keys(BELOW_WORKSPACES))).toEqual([]);
});

test('only the list names workspaces, not even by their ids', () => {
  const ids = new Map(workspaces.map((folder) => [folder, /\bid: '([\w-]+)'/.exec(files.find(({ name }) => name === join(folder, 'workspace.ts'))?.text ?? '')?.[1] ?? `id of ${folder}`]));
  const named = new RegExp(`(workspace\\s*[!=]==|\\.id\\s*[!=]==|enter\\()\\s*'(${[...ids.values()].join('|')})'`);
  const others = files.filter(({ name }) => name !== LIST && !workspaces.includes(folderOf(name) ?? ''));
  expect(others.filter(({ text, imports }) => named.test(text) || imports.some((each) => workspaces.includes(folderOf(each) ?? ''))).map(({ name }) => name)).toEqual([]);
  // No workspace compares with another's id either.
  const own = files.filter(({ name }) => workspaces.includes(folderOf(name) ?? ''));
  expect(own.filter(({ name, text }) => [...text.matchAll(new RegExp(named, 'g'))].some((match) => match[2] !== ids.get(folderOf(name)!))).map(({ name }) => name)).toEqual([]);
});

test('imports are found', () => {
  expect(importsOf(join(SRC, 'main.ts'))).toContain('workspaces');
  expect(importsOf(join(SRC, 'panels', 'StagePanel.svelte'))).toContain(join('stage', 'viewport'));
  expect(workspaces.length).toBeGreaterThan(1);
});
