/** A ball of triangles as people bring it: one triangle is missing, one is turned inside out, corners are not shared. */
export function brokenBall(): string {
  const lines: string[] = [];
  const [rings, sides] = [16, 24];
  const point = (ring: number, side: number): number[] => {
    const [up, around] = [(Math.PI * ring) / rings, (2 * Math.PI * side) / sides];
    return [0.3 * Math.sin(up) * Math.cos(around), 0.3 * Math.cos(up), 0.3 * Math.sin(up) * Math.sin(around)];
  };
  let corners = 0;
  let triangles = 0;
  const triangle = (...points: number[][]): void => {
    triangles += 1;
    if (triangles === 40) return;
    for (const at of points) lines.push(`v ${at.map((c) => c.toFixed(6)).join(' ')}`);
    lines.push(triangles === 80 ? `f ${corners + 3} ${corners + 2} ${corners + 1}` : `f ${corners + 1} ${corners + 2} ${corners + 3}`);
    corners += 3;
  };
  for (let ring = 0; ring < rings; ring++) {
    for (let side = 0; side < sides; side++) {
      const [a, b, c, d] = [point(ring, side), point(ring, side + 1), point(ring + 1, side + 1), point(ring + 1, side)];
      if (ring > 0) triangle(a, b, c);
      if (ring < rings - 1) triangle(a, c, d);
    }
  }
  return lines.join('\n');
}
