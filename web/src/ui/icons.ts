import { PAINT_ICONS } from './paintIcons';

/** Icons on a 16 px grid, stroke 1.35, round caps. One meaning, one icon. `fill` is for small solid parts. */
export interface Drawing {
  line?: string;
  fill?: string;
}

export const ICONS = {
  ...PAINT_ICONS,
  play: { fill: 'M5 3.2v9.6a.6.6 0 0 0 .92.5l7.3-4.8a.6.6 0 0 0 0-1l-7.3-4.8A.6.6 0 0 0 5 3.2z' },
  pause: { fill: 'M4.5 3.5a.7.7 0 0 1 .7-.7h1.1a.7.7 0 0 1 .7.7v9a.7.7 0 0 1-.7.7H5.2a.7.7 0 0 1-.7-.7zM9 3.5a.7.7 0 0 1 .7-.7h1.1a.7.7 0 0 1 .7.7v9a.7.7 0 0 1-.7.7H9.7a.7.7 0 0 1-.7-.7z' },
  stepBack: { line: 'M10.8 4.2 6.8 8l4 3.8zM4.2 4v8' },
  stepForward: { line: 'm5.2 4.2 4 3.8-4 3.8zM11.8 4v8' },
  first: { line: 'M12.5 4.2 8.8 8l3.7 3.8M8.4 4.2 4.7 8l3.7 3.8M2.8 4v8' },
  last: { line: 'M3.5 4.2 7.2 8l-3.7 3.8M7.6 4.2 11.3 8l-3.7 3.8M13.2 4v8' },
  restart: { line: 'M3.3 8a4.7 4.7 0 1 0 1.5-3.4M3.2 2.6v2.7h2.7' },
  loop: { line: 'M3 7.2V6.5a2 2 0 0 1 2-2h7.2M10.2 2.5l2 2-2 2M13 8.8v.7a2 2 0 0 1-2 2H3.8M5.8 13.5l-2-2 2-2' },
  sun: { line: 'M8 5.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M3.5 12.5l.8-.8M11.7 4.3l.8-.8' },
  frame: { line: 'M2.5 5.5v-2a1 1 0 0 1 1-1h2M10.5 2.5h2a1 1 0 0 1 1 1v2M13.5 10.5v2a1 1 0 0 1-1 1h-2M5.5 13.5h-2a1 1 0 0 1-1-1v-2M6.2 8h3.6M8 6.2v3.6' },
  scene: { line: 'M2.5 4.5a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1zM2.5 6.3h11', fill: 'M6.7 7.8v3.2l2.7-1.6z' },
  body: { line: 'M8 2.8c3 0 5.2 1.9 5.2 4.9 0 3.2-2 5.5-5.2 5.5s-5.2-2.3-5.2-5.5c0-3 2.2-4.9 5.2-4.9z' },
  skin: { line: 'M3 11.8C3.3 6.5 6 3.5 12.8 3.2M6.2 12.8c.3-3.3 2-5.3 6.3-5.8M9.5 12.9c.2-1.3.9-2.1 2.8-2.5' },
  flesh: { line: 'M8 2.3 13.6 12H2.4zM8 2.3 8.9 9M2.4 12l6.5-3 4.7 3' },
  solver: { line: 'M2.8 2.8h4v4h-4zM9.2 9.2h4v4h-4zM6.8 4.8h3.4a1 1 0 0 1 1 1v3.4M4.8 6.8v3.4a1 1 0 0 0 1 1h3.4' },
  film: { line: 'M2.5 4.3a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1v7.4a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1zM2.5 6h11M5.2 3.3V6M8 3.3V6M10.8 3.3V6' },
  curve: { line: 'M2.5 12.5c4 0 4-9 11-9' },
  meter: { line: 'M3 12.2a5.7 5.7 0 1 1 10 0M8 9.6l2.6-3.2', fill: 'M8 8.7a1.1 1.1 0 1 0 0 2.2 1.1 1.1 0 0 0 0-2.2z' },
  obstacle: { line: 'M8 2.4 13.2 5v6L8 13.6 2.8 11V5zM2.8 5 8 7.6 13.2 5M8 7.6v6' },
  warning: { line: 'M8 2.6 14.3 13H1.7zM8 6.4v3.2', fill: 'M8 10.6a.75.75 0 1 0 0 1.5.75.75 0 0 0 0-1.5z' },
} satisfies Record<string, Drawing>;

export type IconName = keyof typeof ICONS;
