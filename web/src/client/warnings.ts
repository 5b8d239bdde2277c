/** Everything there is to warn of: of the document, and of the running stage. */
import type { NoticeAction } from '../document/generated/protocol';
import { list } from '../document/scene';
import { slowness } from '../document/slowness';
import type { Warning } from '../document/warning';
import type { Session } from './session.svelte';

export function warningsOf(session: Session): Warning[] {
  const found: Warning[] = [...(session.document?.notices ?? [])];
  const { problem, warning } = session.transport ?? {};
  const add = (level: Warning['level'], text: string | null | undefined): void => {
    if (text && !found.some((known) => known.text === text)) found.push({ level, text, help: null, path: bodyNamedIn(session, text), actions: [] });
  };
  const slow = session.slowMs > 0 ? slowness(session.document?.scene, session.slowMs) : null;
  if (slow) found.push(slow);
  add('problem', problem);
  add('warning', warning);
  return found;
}

/** Warnings of one place, with what can be done about them all. */
export interface WarningGroup {
  path: string | null;
  level: Warning['level'];
  lines: string[];
  help: string[];
  actions: NoticeAction[];
}

/** By place, problems first; each sentence and each action once. */
export function grouped(warnings: readonly Warning[]): WarningGroup[] {
  const groups: WarningGroup[] = [];
  const once = <T>(list: T[], entry: T, same: (a: T) => boolean): void => void (list.some(same) || list.push(entry));
  for (const { path, level, text, help, actions } of warnings) {
    let group = groups.find((known) => known.path === path && known.level === level);
    if (!group) groups.push((group = { path, level, lines: [], help: [], actions: [] }));
    once(group.lines, text, (known) => known === text);
    if (help) once(group.help, help, (known) => known === help);
    for (const action of actions) once(group.actions, action, ({ name }) => name === action.name);
  }
  return groups.sort((a, b) => Number(b.level === 'problem') - Number(a.level === 'problem'));
}

/** Why the stage cannot show the scene as it is; none where it can, or will in a moment. */
export interface Block {
  title: string;
  text: string;
  help: string | null;
  path: string | null;
  actions: NoticeAction[];
}

export function blockOf({ document }: Session): Block | null {
  if (!document || document.building !== null) return null;
  if (list(document.scene, 'body').length === 0) {
    return { title: 'There is no body in this scene', text: 'Drop a mesh here, or add a body with the outliner’s plus.', help: null, path: null, actions: [] };
  }
  // A director that cannot be followed leaves the bodies on stage as they are; its notice says so.
  const problem = document.notices.find(({ level, path }) => level === 'problem' && !path?.includes('.director'));
  return problem ? { title: 'This scene cannot be shown', text: sentence(problem.text), help: problem.help, path: problem.path, actions: problem.actions } : null;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** The stage names bodies in its words; the page can lead there. */
function bodyNamedIn(session: Session, text: string): string | null {
  const named = session.scene?.bodies.find(({ name }) => new RegExp(`(^|[^\\w-])${name}([^\\w-]|$)`).test(text));
  return named?.path ?? null;
}
