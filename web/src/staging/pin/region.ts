/** A region of the view that someone drew, in pixels from the view's top left. */
export interface Place {
  x: number;
  y: number;
}

export type Region =
  | { kind: 'box'; from: Place; to: Place }
  | { kind: 'lasso'; points: Place[] }
  | { kind: 'brush'; points: Place[]; radiusPx: number };

export function contains(region: Region, { x, y }: Place): boolean {
  switch (region.kind) {
    case 'box': {
      const { from, to } = region;
      return x >= Math.min(from.x, to.x) && x <= Math.max(from.x, to.x) && y >= Math.min(from.y, to.y) && y <= Math.max(from.y, to.y);
    }
    case 'lasso':
      return insideLoop(region.points, x, y);
    case 'brush':
      return region.points.some((at, i) => distanceTo(region.points[Math.max(0, i - 1)]!, at, x, y) <= region.radiusPx);
  }
}

/** Even–odd: a lasso that crosses itself leaves out what it goes round twice. */
function insideLoop(loop: readonly Place[], x: number, y: number): boolean {
  let inside = false;
  loop.forEach((a, i) => {
    const b = loop[(i + 1) % loop.length]!;
    if (a.y > y !== b.y > y && x < a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x)) inside = !inside;
  });
  return inside;
}

function distanceTo(a: Place, b: Place, x: number, y: number): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length2 = dx * dx + dy * dy;
  const t = length2 === 0 ? 0 : Math.min(1, Math.max(0, ((x - a.x) * dx + (y - a.y) * dy) / length2));
  return Math.hypot(x - a.x - t * dx, y - a.y - t * dy);
}
