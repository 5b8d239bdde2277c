/** Points and directions as they travel on the wire, and the little arithmetic that needs no renderer. */
export type Vec3 = [number, number, number];

export interface Ray {
  origin: Vec3;
  direction: Vec3;
}

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, by: number): Vec3 => [a[0] * by, a[1] * by, a[2] * by];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const normalize = (a: Vec3): Vec3 => scale(a, 1 / (length(a) || 1));

/** Where the ray meets the plane through `point` with this normal; none where it runs alongside or away from it. */
export function rayOnPlane(ray: Ray, point: Vec3, normal: Vec3): Vec3 | null {
  const towards = dot(ray.direction, normal);
  if (Math.abs(towards) < 1e-9) return null;
  const along = dot(sub(point, ray.origin), normal) / towards;
  return along > 0 ? add(ray.origin, scale(ray.direction, along)) : null;
}
