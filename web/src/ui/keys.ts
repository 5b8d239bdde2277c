/** One notation for keys: `Space`, `F`, `Shift+ArrowLeft`, `Ctrl+K`. */
export interface KeyPress {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

export function keyOf(event: KeyPress): string {
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const modifiers = [
    event.ctrlKey || event.metaKey ? 'Ctrl+' : '',
    event.altKey ? 'Alt+' : '',
    event.shiftKey ? 'Shift+' : '',
  ];
  return modifiers.join('') + key;
}

/** The same in words for tooltips. */
export function keyInWords(key: string): string {
  const words: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };
  return key.split('+').map((part) => words[part] ?? part).join(' ');
}
