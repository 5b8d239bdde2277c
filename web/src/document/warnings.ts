/** Everything there is to warn of: of the document, and of the running stage. */
import type { Session } from '../client/session.svelte';

export interface Warning {
  level: 'warning' | 'problem';
  text: string;
  help: string | null;
  path: string | null;
}

export function warningsOf(session: Session): Warning[] {
  const found: Warning[] = [...(session.document?.notices ?? [])];
  const { problem, warning } = session.transport ?? {};
  const add = (level: Warning['level'], text: string | null | undefined): void => {
    if (text && !found.some((known) => known.text === text)) found.push({ level, text, help: null, path: bodyNamedIn(session, text) });
  };
  add('problem', problem);
  add('warning', warning);
  return found;
}

/** The stage names bodies in its words; the page can lead there. */
function bodyNamedIn(session: Session, text: string): string | null {
  const named = session.scene?.bodies.find(({ name }) => new RegExp(`(^|[^\\w-])${name}([^\\w-]|$)`).test(text));
  return named?.path ?? null;
}
