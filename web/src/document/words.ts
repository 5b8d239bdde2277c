/** Numbers as people read them. */
const whole = new Intl.NumberFormat('en-US');

export const count = (value: number): string => whole.format(value);

/** Three significant digits, without exponents where people do not expect them. */
export function measure(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return '–';
  if (size === 0) return '0';
  if (size >= 1000) return whole.format(Math.round(value));
  if (size < 0.001) return value.toExponential(1);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** 3.4 mm, 15 cm, 2.6 m. */
export function lengthInWords(metres: number): string {
  if (metres < 0.01) return `${measure(metres * 1000)} mm`;
  return metres < 1 ? `${measure(metres * 100)} cm` : `${measure(metres)} m`;
}

export const milliseconds = (value: number): string => value.toFixed(value >= 10 ? 1 : value >= 0.1 ? 2 : 3);

/** 24, 23.976. */
export function framesPerSecond([over, under]: readonly [number, number]): string {
  const fps = over / under;
  return Number.isInteger(fps) ? String(fps) : fps.toFixed(3);
}

/** What people call the ways of simulating. */
export const SOLVER_NAMES: Record<string, string> = { shape_matching: 'Shape matching', fem: 'Finite elements', springs: 'Springs' };
