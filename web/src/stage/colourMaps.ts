/**
 * How fields are coloured: which map each look has, from the theme's tokens, and the shader code that looks colours up.
 * Signed fields diverge about 0; exact 0 and exact 1 of layers have colours of their own, so that they can be told apart.
 */
import { ClampToEdgeWrapping, DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace, UnsignedByteType } from 'three';

export interface LookStyle {
  name: string;
  /** What its numbers mean. */
  hint: string;
  /** A token that holds a gradient. */
  map: string;
  /** Fixed ends; none where they come with the values. */
  range: [number, number] | null;
  /** Where there is none: the narrowest that is shown, to each side of 0 where it is signed. */
  least?: number;
  signed: boolean;
  /** Tokens for exact ends. */
  exact: [string, string] | null;
  /** Whether equal factors lie equally far apart on the map. */
  log?: boolean;
  /** Labels under the legend, from end to end. */
  ticks(low: number, high: number): string[];
}

const plainTicks = (low: number, high: number): string[] =>
  [0, 0.25, 0.5, 0.75, 1].map((share) => short(low + share * (high - low)));

const short = (value: number): string => {
  const size = Math.abs(value);
  return value === 0 ? '0' : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
};

const LAYER: LookStyle = {
  name: 'Layers', hint: '0 outer, 1 inner', map: '--map-layer', range: [0, 1], signed: false,
  exact: ['--map-layer-0', '--map-layer-1'], ticks: () => ['=0', '0.25', '0.50', '0.75', '=1'],
};

export const LOOK_STYLES: Record<string, LookStyle> = {
  layer: LAYER,
  amplitude: {
    name: 'Amplitude', hint: '1 full, 0 none, −1 opposite', map: '--map-amplitude', range: [-1, 1], signed: true,
    exact: null, ticks: () => ['−1', '−0.5', '0', '0.5', '1'],
  },
  phase: {
    name: 'Phase shift', hint: '0 first, 1 last', map: '--map-phase', range: [0, 1], signed: false,
    exact: null, ticks: () => ['0', '0.25', '0.50', '0.75', '1'],
  },
  contraction: {
    name: 'Contraction', hint: 'rate along the fibres', map: '--map-contraction', range: null, least: Math.log(1.1), signed: true, exact: null,
    ticks: (low, high) => [0, 0.25, 0.5, 0.75, 1].map((share) => `×${Math.exp(low + share * (high - low)).toFixed(2)}`),
  },
  excitation: {
    name: 'Excitation', hint: 'share of full strength', map: '--map-excitation', range: [0, 1], signed: false,
    exact: null, ticks: plainTicks,
  },
  stiffness: {
    name: 'Stiffness', hint: 'factor on the material', map: '--map-viridis', range: [0.01, 100], signed: false, exact: null, log: true,
    ticks: () => ['×0.01', '×0.1', '×1', '×10', '×100'],
  },
  speed: { name: 'Speed', hint: 'm/s', map: '--map-inferno', range: null, least: 0.01, signed: false, exact: null, ticks: plainTicks },
  stretch: { name: 'Stretch', hint: '', map: '--map-signed', range: null, least: 0.02, signed: true, exact: null, ticks: plainTicks },
};

export const styleOf = (look: string): LookStyle => LOOK_STYLES[look] ?? { ...LAYER, name: look, hint: '', range: null, exact: null, ticks: plainTicks };

/** Maps that are made of other tokens. */
const MADE_MAPS: Record<string, (token: (name: string) => string) => string> = {
  '--map-contraction': (token) => `linear-gradient(90deg, ${token('--contract')}, ${token('--map-middle') || '#8a8f98'} 50%, ${token('--expand')})`,
  '--map-excitation': (token) => `linear-gradient(90deg, ${token('--map-middle') || '#8a8f98'}, ${token('--contract')})`,
};

/** The gradient of a map as CSS, for legends and swatches. */
export const gradientOf = (map: string, token: (name: string) => string): string => MADE_MAPS[map]?.(token) ?? token(map);

export interface Stop {
  at: number;
  colour: [number, number, number];
}

/** The stops of `linear-gradient(90deg, #rrggbb, #rrggbb 22%, …)`; those without a place lie evenly between their neighbours. */
export function stopsOf(gradient: string): Stop[] {
  const inner = gradient.slice(gradient.indexOf('(') + 1, gradient.lastIndexOf(')'));
  const parts = inner.split(',').map((part) => part.trim()).filter((part) => part.startsWith('#'));
  const stops = parts.map((part) => {
    const [colour = '', place] = part.split(/\s+/);
    return { at: place ? Number.parseFloat(place) / 100 : Number.NaN, colour: hexColour(colour) };
  });
  if (stops.length === 0) return [{ at: 0, colour: [128, 128, 128] }];
  if (Number.isNaN(stops[0]!.at)) stops[0]!.at = 0;
  if (Number.isNaN(stops.at(-1)!.at)) stops.at(-1)!.at = 1;
  for (let i = 1; i < stops.length; i++) {
    if (!Number.isNaN(stops[i]!.at)) continue;
    const next = stops.findIndex((stop, j) => j > i && !Number.isNaN(stop.at));
    const from = stops[i - 1]!.at;
    stops[i]!.at = from + (stops[next]!.at - from) / (next - i + 1);
  }
  return stops;
}

export function hexColour(hex: string): [number, number, number] {
  const whole = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1, 7);
  return [0, 2, 4].map((i) => Number.parseInt(whole.slice(i, i + 2), 16)) as [number, number, number];
}

export function colourAt(stops: readonly Stop[], share: number): [number, number, number] {
  const right = stops.findIndex((stop) => stop.at >= share);
  if (right <= 0) return (right === 0 ? stops[0]! : stops.at(-1)!).colour;
  const [a, b] = [stops[right - 1]!, stops[right]!];
  const u = (share - a.at) / (b.at - a.at || 1);
  return a.colour.map((part, i) => part + (b.colour[i]! - part) * u) as [number, number, number];
}

const RAMP_TEXELS = 256;

/** A map as a texture that shaders read. */
export function rampTexture(gradient: string): DataTexture {
  const stops = stopsOf(gradient);
  const data = new Uint8Array(4 * RAMP_TEXELS);
  for (let i = 0; i < RAMP_TEXELS; i++) data.set([...colourAt(stops, i / (RAMP_TEXELS - 1)), 255], 4 * i);
  const texture = new DataTexture(data, RAMP_TEXELS, 1, RGBAFormat, UnsignedByteType);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.wrapS = ClampToEdgeWrapping;
  texture.needsUpdate = true;
  return texture;
}

/** GLSL: the colour of a value. `fieldExact` has the ends' own colours, with 1 in w where there are any. */
export const FIELD_GLSL = /* glsl */ `
uniform sampler2D fieldRamp;
uniform vec2 fieldRange;
uniform float fieldLog;
uniform vec4 fieldLowest, fieldHighest;
vec3 fieldColour(float value) {
  float share = fieldLog > 0.5
    ? log(max(value, 1e-9) / fieldRange.x) / log(fieldRange.y / fieldRange.x)
    : (value - fieldRange.x) / max(fieldRange.y - fieldRange.x, 1e-9);
  if (fieldLowest.w > 0.5 && share <= 0.004) return fieldLowest.rgb;
  if (fieldHighest.w > 0.5 && share >= 0.996) return fieldHighest.rgb;
  return texture2D(fieldRamp, vec2(clamp(share, 0.0, 1.0) * ${(RAMP_TEXELS - 1) / RAMP_TEXELS} + ${0.5 / RAMP_TEXELS}, 0.5)).rgb;
}
`;
