/** The skin as the program itself makes it: a scene is baked and exported, and the last frame's mesh is read back. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Three numbers a vertex, in the world, at the last of so many frames. */
export function bakedSkin(scene: string, frames: number): Float64Array {
  const [program = ''] = (process.env.SINEW_BIN ?? '').split(/\s+/);
  const folder = mkdtempSync(join(tmpdir(), 'sinew-skin-'));
  try {
    const take = join(folder, 'one.take');
    const run = (...args: string[]): void => void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    run('bake', scene, '--set', `scene.frames=[1, ${frames}]`, '-o', take);
    run('export', take, '-o', join(folder, 'skin.obj'));
    return vertices(readFileSync(join(folder, `skin.${String(frames).padStart(4, '0')}.obj`), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function vertices(obj: string): Float64Array {
  const numbers: number[] = [];
  for (const line of obj.split('\n')) if (line.startsWith('v ')) numbers.push(...line.slice(2).trim().split(/\s+/).slice(0, 3).map(Number));
  return Float64Array.from(numbers);
}
