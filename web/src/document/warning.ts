/** Something to warn of, and what can be done about it. */
import type { NoticeAction } from './generated/protocol';

export interface Warning {
  level: 'warning' | 'problem';
  text: string;
  help: string | null;
  path: string | null;
  /** What can be done about it with one click. */
  actions: NoticeAction[];
}
