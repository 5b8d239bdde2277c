/** A drag of a slider or point: it begins with its first preview and ends once. */
import type { Command, SceneCommand } from '../document/generated/protocol';

export interface Gesture {
  /** What it would do, on the scene as it was when it began. */
  preview(command: SceneCommand): void;
  commit(): void;
  cancel(): void;
}

/** Nothing is sent before the first preview: a click that moves nothing is no gesture. */
export function openGesture(label: string, send: (command: Command) => void): Gesture {
  let state: 'ready' | 'going' | 'ended' = 'ready';
  const end = (how: 'commit' | 'cancel') => {
    if (state === 'going') send({ do: how });
    state = 'ended';
  };
  return {
    preview(command) {
      if (state === 'ended') return;
      if (state === 'ready') send({ do: 'begin', label });
      state = 'going';
      send({ do: 'preview', command });
    },
    commit: () => end('commit'),
    cancel: () => end('cancel'),
  };
}
