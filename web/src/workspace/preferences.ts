/**
 * What the person at this machine prefers: theme, panels, whether the tour was seen. The server keeps it in the user's state folder,
 * for the page's own storage belongs to a port, and each run of the studio has another one.
 */
import type { Command } from '../document/generated/protocol';

export class Preferences {
  private kept: Record<string, string> = {};
  private send: (command: Command) => void = () => {};

  /** Before anything is drawn, so that a light page does not flash dark. Without an answer everything is as at first. */
  async load(from: () => Promise<Response> = () => fetch('/preferences.json')): Promise<void> {
    try {
      const answer = await from();
      const kept: unknown = answer.ok ? await answer.json() : {};
      if (typeof kept !== 'object' || kept === null) return;
      this.kept = Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
    } catch {
      this.kept = {};
    }
  }

  /** Where changes go. */
  connect(send: (command: Command) => void): void {
    this.send = send;
  }

  get(key: string): string | undefined {
    return this.kept[key];
  }

  set(key: string, value: string): void {
    if (this.kept[key] === value) return;
    this.kept[key] = value;
    this.send({ do: 'prefer', key, value });
  }
}

export const preferences = new Preferences();
