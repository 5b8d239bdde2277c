/** How keys of the timeline are named: their track's path, then their frame. `Studio.chosenKeys` is the one selection of them. */

export const keyId = (path: string, at: number): string => `${path}@${at}`;

export function readKeyId(id: string): { path: string; at: number } {
  const cut = id.lastIndexOf('@');
  return { path: id.slice(0, cut), at: Number(id.slice(cut + 1)) };
}
