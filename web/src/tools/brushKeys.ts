/**
 * Keys of the brush while it is over the stage: F and a movement of the hand set its size, Shift+F its value, a click or
 * Enter keeps it and Esc gives it back; [ and ] step the size.
 */
import type { Studio } from '../workspace/studio.svelte';
import type { BrushValue } from '../workspace/workspace';

interface Setting {
  what: 'size' | 'value';
  from: number;
  x: number | null;
}

/** Pixels of the hand that go through all values. */
const VALUE_PX = 240;

export function brushKeys(studio: Studio, canvas: HTMLElement, cancelTool: () => void): () => void {
  const { brush } = studio;
  /** What Shift+F sets, of the workspace that is shown. */
  const value = (): BrushValue | undefined => studio.current.brush?.value?.(studio);
  const abort = new AbortController();
  const options = { signal: abort.signal, capture: true };
  let setting: Setting | null = null;
  const set = (to: number): void => {
    if (setting?.what === 'size') brush.sizePx = Math.min(200, Math.max(4, Math.round(to)));
    else value()?.set(to);
  };
  const end = (keep: boolean): void => {
    if (setting && !keep) set(setting.from);
    setting = null;
  };
  const isOurs = (event: KeyboardEvent): boolean => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const elsewhere = target?.closest('input, select, textarea, [contenteditable], [role=listbox], [role=spinbutton], [role=menu]');
    return !elsewhere && (studio.current.brush?.tools.includes(studio.tool) ?? false);
  };
  const take = (event: Event): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      if (setting) take(event);
      end(false);
      cancelTool();
      return;
    }
    if (!isOurs(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && setting) {
      take(event);
      end(true);
    } else if (event.key === 'f' || event.key === 'F') {
      take(event);
      const set = event.shiftKey ? value() : undefined;
      setting = { what: set ? 'value' : 'size', from: set ? set.now : brush.sizePx, x: null };
    } else if (event.key === '[' || event.key === ']') {
      take(event);
      brush.sizePx = Math.min(200, Math.max(4, Math.round(brush.sizePx * (event.key === '[' ? 0.85 : 1.18))));
    }
  }, options);
  canvas.addEventListener('pointermove', (event) => {
    if (!setting) return;
    take(event);
    setting.x ??= event.clientX;
    const byPx = event.clientX - setting.x;
    const { low, high, isFactor } = value() ?? { low: 0, high: 1, isFactor: false };
    if (setting.what === 'size') set(setting.from + 0.5 * byPx);
    else if (isFactor) set(setting.from * (high / low) ** (byPx / VALUE_PX));
    else set(setting.from + ((high - low) * byPx) / VALUE_PX);
  }, options);
  canvas.addEventListener('pointerdown', (event) => {
    if (!setting) return;
    take(event);
    end(true);
  }, options);
  return () => abort.abort();
}
