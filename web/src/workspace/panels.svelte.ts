/** Which panels are open and how wide they are. Sizes nobody changed follow the window (the media queries of tokens.css). */
import { preferences } from './preferences';

export type Panel = 'left' | 'right' | 'dock';

interface Limits {
  least: number;
  most: () => number;
}
export const LIMITS: Record<Panel, Limits> = {
  left: { least: 180, most: () => 360 },
  right: { least: 264, most: () => 420 },
  dock: { least: 160, most: () => Math.round(window.innerHeight * 0.6) },
};
const TOKENS: Record<Panel, string> = { left: '--w-left', right: '--w-right', dock: '--h-dock' };
const KEY = 'panels';

interface Kept {
  sizes: Partial<Record<Panel, number>>;
  hidden: Panel[];
}

export class Panels {
  private sizes = $state<Partial<Record<Panel, number>>>({});
  private hidden = $state<Record<Panel, boolean>>({ left: false, right: false, dock: false });

  constructor() {
    const kept = read();
    for (const panel of ['left', 'right', 'dock'] as const) {
      const size = kept.sizes[panel];
      if (typeof size === 'number' && Number.isFinite(size)) this.sizes[panel] = bounded(panel, size);
      this.hidden[panel] = kept.hidden.includes(panel);
    }
  }

  shown(panel: Panel): boolean {
    return !this.hidden[panel];
  }

  toggle(panel: Panel): void {
    this.hidden[panel] = !this.hidden[panel];
    this.keep();
  }

  /** The size someone chose, none where the window decides. */
  chosen(panel: Panel): number | undefined {
    return this.sizes[panel];
  }

  sizeNow(panel: Panel): number {
    return this.sizes[panel] ?? tokenPx(TOKENS[panel]);
  }

  resize(panel: Panel, px: number): void {
    this.sizes[panel] = bounded(panel, px);
    this.keep();
  }

  restore(panel: Panel): void {
    delete this.sizes[panel];
    this.keep();
  }

  /** What the page's root element carries, so that every panel reads the same tokens. */
  get style(): string {
    return (['left', 'right', 'dock'] as const)
      .flatMap((panel) => (this.sizes[panel] === undefined ? [] : [`${TOKENS[panel]}:${this.sizes[panel]}px`]))
      .join(';');
  }

  private keep(): void {
    const hidden = (['left', 'right', 'dock'] as const).filter((panel) => this.hidden[panel]);
    preferences.set(KEY, JSON.stringify({ sizes: $state.snapshot(this.sizes), hidden } satisfies Kept));
  }
}

function bounded(panel: Panel, px: number): number {
  return Math.round(Math.min(LIMITS[panel].most(), Math.max(LIMITS[panel].least, px)));
}

function tokenPx(name: string): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(name)) || 0;
}

function read(): Kept {
  try {
    const kept = JSON.parse(preferences.get(KEY) ?? '{}') as Partial<Kept>;
    return { sizes: kept.sizes ?? {}, hidden: Array.isArray(kept.hidden) ? kept.hidden : [] };
  } catch {
    return { sizes: {}, hidden: [] }; // someone else's text under our name: start afresh
  }
}
