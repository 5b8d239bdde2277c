/** What a mesh file becomes: a scene of its own, or part of the open one. */
export type BringAs = 'scene' | 'body' | 'obstacle';

/** Opens the browser's choice of files. */
export function chooseMesh(as: BringAs): void {
  const input = document.getElementById('bring');
  if (!input) return;
  input.dataset.as = as;
  input.click();
}
