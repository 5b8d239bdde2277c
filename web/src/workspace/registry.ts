/** The workspaces that the page has. Each registers itself when its module is loaded (`workspaces.ts`). */
import type { Workspace } from './workspace';

export class Registry {
  private readonly known: Workspace[] = [];

  /** In the order of their buttons. */
  get all(): readonly Workspace[] {
    return this.known;
  }

  register(workspace: Workspace): void {
    if (this.known.some(({ id }) => id === workspace.id)) throw new Error(`There is a workspace “${workspace.id}” already: give this one another id`);
    this.known.push(workspace);
  }
}

/** Those of the page. */
export const registry = new Registry();
