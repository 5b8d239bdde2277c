/** What can be taken hold of on a widget, and what dragging it makes of the scene. */
import type { SceneCommand } from '../document/generated/protocol';
import { type Ray, type Vec3, add, cross, dot, length, normalize, rayOnPlane, scale, sub } from '../document/vector';
import { inverse, turned } from './fit';
import { type Frame, placeIn, worldOf } from './geometry';
import type { WidgetNow } from './now';
import { numberOf, sizesOf } from './read';

export interface Dragged {
  command: SceneCommand;
  words: string;
}

export interface Handle {
  id: string;
  name: string;
  at: Vec3;
  /** A square moves or turns, a dot sizes. */
  look: 'size' | 'move' | 'turn';
  /** A line that shows what it belongs to. */
  from?: Vec3;
  /** What the scene becomes where the hand is; `step` snaps lengths, none where it does not. */
  drag(ray: Ray, start: Ray, snap: boolean): Dragged | null;
}

export function handlesOf(widget: WidgetNow, forward: Vec3, onSkin: (ray: Ray) => Vec3 | null): Handle[] {
  return [...sizeHandles(widget, forward), ...placeHandles(widget, forward, onSkin)];
}

function sizeHandles(widget: WidgetNow, forward: Vec3): Handle[] {
  const { metaphor, frame, frames, middles } = widget;
  const sizes = sizesOf(metaphor);
  const number = (key: string, fallback = 0): number => numberOf(sizes[key], fallback);
  /** From `base` to `tip` as they are drawn is the number as it is; along that line it is dragged. */
  const size = (key: string, name: string, base: Vec3, tip: Vec3, value: number, low: number): Handle => {
    const long = length(sub(tip, base));
    const way = long > 1e-9 ? scale(sub(tip, base), 1 / long) : frame.x;
    const ratio = long > 1e-9 && value > 0 ? value / long : 1;
    return {
      id: key, name, look: 'size', from: base, at: tip,
      drag(ray, _, snap) {
        const along = alongLine(ray, base, way);
        if (along === null) return null;
        const to = rounded(Math.max(low, along * ratio), snap, value);
        return { command: { do: 'set', path: `${metaphor.path}.act.${metaphor.act}.${key}`, value: to }, words: `${name} ${to} m` };
      },
    };
  };
  const radius = number('radius');
  /** A place on the rim of a region, to the side as it is seen: there a drag across the view is one across the region. */
  const rim = (part: number, middle: Vec3, side: 1 | -1, reach: number): Vec3 => {
    const { x, y } = frames[part]!;
    const across = cross(x, forward);
    return add(middle, scale(length(across) > 0.1 ? normalize(across) : y, side * reach));
  };
  switch (metaphor.act) {
    case 'bend': {
      const pivot = number('pivot_radius', radius);
      return [
        size('arm', 'Arm', frame.at, middles[1]!, number('arm'), 1e-4),
        size('radius', 'Radius', middles[1]!, rim(1, middles[1]!, 1, radius), radius, 1e-4),
        size('pivot_radius', 'Pivot radius', middles[2]!, rim(2, middles[2]!, -1, pivot), pivot, 1e-4),
      ];
    }
    case 'stretch':
    case 'compress':
    case 'twist': {
      const at = (x: number): Vec3 => worldOf(frames[1]!, [x, 0, 0]);
      const far = number('far');
      return [
        size('near', 'Near', at(0), at(number('near')), number('near'), 0),
        size('far', 'Far', at(0), at(far), far, 1e-4),
        size('radius', 'Radius', at(far), rim(1, at(far), 1, radius), radius, 1e-4),
      ];
    }
    case 'custom':
      return [];
  }
}

/** What places and axes are told in where the scene does not say. */
const REST: Frame = { at: [0, 0, 0], x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

function placeHandles(widget: WidgetNow, forward: Vec3, onSkin: (ray: Ray) => Vec3 | null): Handle[] {
  const { metaphor, frame, restFrame, turn } = widget;
  const reach = reachOf(widget);
  const back = inverse(turn);
  const own = widget.own ?? REST;
  const vector = (v: Vec3, digits = 4): Vec3 => v.map((c) => Number(c.toFixed(digits)) || 0) as Vec3;
  const told = (way: Vec3): Vec3 => vector([dot(way, own.x), dot(way, own.y), dot(way, own.z)]);
  const aim = (along: Vec3, up: Vec3, words: string): Dragged => ({
    command: { do: 'batch', label: `turn ${metaphor.name}`, commands: [{ do: 'set', path: `${metaphor.path}.along`, value: told(along) }, { do: 'set', path: `${metaphor.path}.up`, value: told(up) }] },
    words,
  });
  return [
    {
      id: 'move', name: 'Move', look: 'move', at: frame.at,
      drag(ray, start, snap) {
        const [a, b] = [onSkin(start), onSkin(ray)];
        const [c, d] = [rayOnPlane(start, frame.at, forward), rayOnPlane(ray, frame.at, forward)];
        // Along the surface where there is one under the hand, else in the plane of the view.
        const moved = a && b ? sub(b, a) : c && d ? turned(back, sub(d, c)) : null;
        if (!moved) return null;
        const to = vector(placeIn(own, add(restFrame.at, moved)), snap ? 2 : 4);
        return { command: { do: 'set', path: `${metaphor.path}.at`, value: to }, words: to.map((part) => part.toFixed(2)).join('  ') };
      },
    },
    {
      id: 'up', name: 'Which way it bends', look: 'turn', from: frame.at, at: add(frame.at, scale(frame.y, 1.5 * reach.across)),
      drag(ray, start, snap) {
        const angle = rollOf(widget, ray, start, forward, 1.5 * reach.across);
        if (angle === null) return null;
        const by = snap ? Math.round(angle / (Math.PI / 12)) * (Math.PI / 12) : angle;
        const up = add(scale(restFrame.y, Math.cos(by)), scale(restFrame.z, Math.sin(by)));
        return aim(restFrame.x, up, `${((by * 180) / Math.PI).toFixed(0)}°`);
      },
    },
    {
      id: 'along', name: 'Its axis', look: 'turn', from: frame.at, at: add(frame.at, scale(frame.x, -1.35 * reach.along)),
      drag(ray) {
        const hit = rayOnPlane(ray, frame.at, forward);
        const way = hit && sub(frame.at, hit);
        if (!way || length(way) < 1e-9) return null;
        // Keeps what of the axis runs into the picture, and turns what lies in it.
        const deep = dot(frame.x, forward);
        const flat = scale(normalize(sub(way, scale(forward, dot(way, forward)))), Math.sqrt(Math.max(0, 1 - deep * deep)));
        const along = normalize(turned(back, add(flat, scale(forward, deep))));
        const side = cross(restFrame.x, along);
        const [s, c] = [length(side), dot(restFrame.x, along)];
        const up = s < 1e-9 ? restFrame.y : about(restFrame.y, scale(side, 1 / s), Math.atan2(s, c));
        return aim(along, up, `${((Math.atan2(s, c) * 180) / Math.PI).toFixed(0)}°`);
      },
    },
  ];
}

/** How far a hand has turned the y axis about x, radians. */
export function rollOf({ frame }: Pick<WidgetNow, 'frame'>, ray: Ray, start: Ray, forward: Vec3, reachM: number): number | null {
  if (Math.abs(dot(frame.x, forward)) > 0.5) {
    const hit = rayOnPlane(ray, frame.at, frame.x);
    const way = hit && sub(hit, frame.at);
    return way && length(way) > 1e-9 ? Math.atan2(dot(way, frame.z), dot(way, frame.y)) : null;
  }
  // The circle is seen from its edge: the handle keeps to the height of the hand across the axis.
  const [a, b] = [rayOnPlane(start, frame.at, forward), rayOnPlane(ray, frame.at, forward)];
  if (!a || !b) return null;
  const side = normalize(cross(frame.x, forward));
  const began = Math.atan2(dot(frame.z, side), dot(frame.y, side));
  const height = Math.min(1, Math.max(-1, Math.cos(began) + dot(sub(b, a), side) / reachM));
  return began - (began < 0 ? -1 : 1) * Math.acos(height);
}

/** How far the widget reaches along its axis and across it. */
export function reachOf({ parts }: WidgetNow): { along: number; across: number } {
  let [along, across] = [1e-3, 1e-3];
  for (const { region } of parts) {
    if (region.kind === 'cylinder') [along, across] = [Math.max(along, Math.abs(region.from), Math.abs(region.to)), Math.max(across, region.radius)];
    if (region.kind === 'sphere') [along, across] = [Math.max(along, Math.abs(region.centre[0]) + region.radius), Math.max(across, region.radius)];
    if (region.kind === 'box') [along, across] = [Math.max(along, Math.abs(region.low[0]), Math.abs(region.high[0])), Math.max(across, region.high[1])];
  }
  return { along, across };
}

/** Where along a line the ray comes nearest to it; none where they are parallel. */
export function alongLine(ray: Ray, base: Vec3, way: Vec3): number | null {
  const w = sub(base, ray.origin);
  const b = dot(way, ray.direction);
  const [d, e] = [dot(way, w), dot(ray.direction, w)];
  const c = dot(ray.direction, ray.direction);
  const det = dot(way, way) * c - b * b;
  return det < 1e-9 * c ? null : (b * e - c * d) / det;
}

/** Turned about an axis of length 1 (Rodrigues). */
export function about(v: Vec3, axis: Vec3, angle: number): Vec3 {
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  return add(add(scale(v, c), scale(cross(axis, v), s)), scale(axis, dot(axis, v) * (1 - c)));
}

/** Three digits; snapped, in steps of about a tenth of what it was. */
function rounded(value: number, snap: boolean, was: number): number {
  if (!snap) return Number(value.toPrecision(3));
  const step = 10 ** Math.floor(Math.log10(Math.max(was, 1e-6))) / 2;
  return Number((Math.round(value / step) * step).toPrecision(3));
}
