/** Icons of the fields' tools and views, on the same grid as the others. */
export const PAINT_ICONS = {
  select: { line: 'M4 2.5l8.5 5.2-3.9.9-1.9 3.7z' },
  faceFill: { line: 'M3 12.2 8 3.2l5 9z', fill: 'M5.6 10.9 8 6.5l2.4 4.4z' },
  flatFill: { line: 'M2.5 9.5 6 5h7.5L10 9.5zM2.5 12.5H10l3.5-4.5' },
  brush: { line: 'M13.5 2.5 7.8 8.2M7.5 8.3c-1.7-.4-3 .5-3.3 2-.2 1.3-.8 2-1.9 2.5 2.5 1.3 6 .4 6.4-2.1.2-1.1-.4-2-1.2-2.4z' },
  eraser: { line: 'M6 13.2h7.5M3 9.6 9 3.2l4 4-6 6H5.5zM6 6.4l4 4' },
  cut: { line: 'M2.5 13.5 13.5 2.5M4.2 2.8h4.6M4.2 2.8v4.6M11.6 9.6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z' },
  directionStroke: { line: 'M2.5 12c1.5-6 3-8 4.500-6s-1 5 1 5.5 2.5-5.5 5.5-7.5' },
  directions: { line: 'M3 13 13 3M10 3h3v3M3 5.500 7 3M9 13l4-2.5' },
  oneView: { line: 'M3 3.5h10v9H3z' },
  twoViews: { line: 'M3 3.5h10v9H3zM8 3.5v9' },
  fourViews: { line: 'M3 3.5h10v9H3zM8 3.5v9M3 8h10' },
  up: { line: 'm4.5 9.6 3.5-3.400 3.5 3.400' },
} as const;
