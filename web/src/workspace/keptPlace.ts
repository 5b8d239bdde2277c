/** Where someone is on the page: workspace and selection. Kept in the tab, so that a reload comes back to it; another tab begins anew. */

export interface Place {
  scene: string;
  workspace: string;
  selection: string | null;
}

const KEY = 'sinew.place';

export function keepPlace(place: Place, storage: Pick<Storage, 'setItem'> = sessionStorage): void {
  storage.setItem(KEY, JSON.stringify(place));
}

/** The place that was kept for a scene. None for another scene, a workspace that is gone, or where what was kept is not one. */
export function keptPlace(scene: string, workspaces: readonly string[], storage: Pick<Storage, 'getItem'> = sessionStorage): Place | null {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? 'null') as Partial<Place> | null;
    if (kept?.scene !== scene || !workspaces.includes(kept.workspace ?? '')) return null;
    return { scene, workspace: kept.workspace!, selection: typeof kept.selection === 'string' ? kept.selection : null };
  } catch {
    return null;
  }
}
