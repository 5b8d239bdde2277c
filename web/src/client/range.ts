/** The part of the scene that is played. The server takes both ends at once: one that is left out is the scene's own. */
import type { Session } from './session.svelte';

export function playFrom(session: Session, frame: number): void {
  const last = session.transport?.range[1];
  session.send({ do: 'range', first: Math.min(frame, last ?? frame), ...(last === undefined ? {} : { last }) });
}

export function playTo(session: Session, frame: number): void {
  const first = session.transport?.range[0];
  session.send({ do: 'range', last: Math.max(frame, first ?? frame), ...(first === undefined ? {} : { first }) });
}
