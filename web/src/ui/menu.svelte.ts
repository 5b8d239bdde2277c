/** The one menu of the page: context menus, the add menus and the scene menu are lists shown at a place. */
import type { IconName } from './icons';

export interface MenuItem {
  name: string;
  icon?: IconName;
  /** As keys.ts writes them. */
  key?: string;
  /** Right-aligned, small. */
  note?: string;
  checked?: boolean;
  danger?: boolean;
  disabled?: boolean;
  hint?: string;
  run: () => void;
}
export type MenuEntry = MenuItem | 'rule' | { heading: string };

export interface OpenMenu {
  label: string;
  x: number;
  y: number;
  entries: MenuEntry[];
}

class Menu {
  open = $state.raw<OpenMenu | null>(null);
  private giveBack: HTMLElement | null = null;

  /** Below a button, or where the mouse is. */
  show(label: string, where: MouseEvent | HTMLElement, entries: MenuEntry[]): void {
    this.giveBack = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    if (where instanceof HTMLElement) {
      const box = where.getBoundingClientRect();
      this.open = { label, x: box.left, y: box.bottom + 4, entries };
      return;
    }
    where.preventDefault();
    where.stopPropagation();
    this.open = { label, x: where.clientX, y: where.clientY, entries };
  }

  close(): void {
    if (!this.open) return;
    this.open = null;
    this.giveBack?.focus({ preventScroll: true });
  }

  choose(item: MenuItem): void {
    this.close();
    item.run();
  }
}

export const menu = new Menu();
