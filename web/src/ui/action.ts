/** Something the page can do, by name: buttons, keys, the command palette and the shortcuts help share it. */
import type { IconName } from './icons';

export type Group = 'Time' | 'View' | 'Tools' | 'Edit' | 'Scene' | 'Page';

export interface Action {
  id: string;
  name: string;
  /** As shown to people; the first is the default. `Shift+ArrowLeft`, `F`, `Space`. */
  keys: string[];
  group: Group;
  icon: IconName;
  /** Why it cannot be done now; none where it can. */
  why?: () => string | null;
  /** Whether it is on, or the tool it chooses is in hand. */
  pressed?: () => boolean;
  run(): void;
}
