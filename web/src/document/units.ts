/** Units of the scene's numbers, and numbers as people type them: `1/3`, `12cm`, `+=2`, `2e4`, `45 deg`. */

/** How many of the base unit one of these is; the base unit's own name stands first. */
const LENGTH = { m: 1, cm: 0.01, mm: 0.001, km: 1000, in: 0.0254, ft: 0.3048 };
const FAMILIES: Record<string, Record<string, number>> = {
  m: LENGTH,
  s: { s: 1, ms: 0.001, min: 60 },
  '°': { '°': 1, deg: 1, rad: 180 / Math.PI, turn: 360 },
  Pa: { Pa: 1, kPa: 1e3, MPa: 1e6, GPa: 1e9 },
  'kg/m³': { 'kg/m³': 1, 'kg/m3': 1, 'g/cm³': 1000, 'g/cm3': 1000 },
  kg: { kg: 1, g: 0.001 },
  N: { N: 1, kN: 1000, mN: 0.001 },
  mm: { mm: 1, cm: 10, m: 1000 },
};

const BY_SUFFIX: [RegExp, string][] = [
  [/_deg$/, '°'], [/_mm$/, 'mm'], [/_pa$/, 'Pa'], [/_kg_m3$/, 'kg/m³'], [/_secs$/, 's'], [/_per_sec$/, '1/s'],
];
const BY_WORDS: [RegExp, string][] = [
  [/m\/s²/, 'm/s²'], [/\bm\/s\b/, 'm/s'], [/\bdegrees\b/i, '°'], [/\b(metres|metre)\b/i, 'm'], [/^(seconds|secs)\b/i, 's'],
  [/^newton,/i, 'N'], [/\bkg\/m³/, 'kg/m³'], [/\bPa\b/, 'Pa'], [/^factor\b/i, '×'], [/per m² and m\/s/, 'N·s/m³'],
];

/** The unit of a value, from its name, then from the first sentence that describes it. */
export function unitOf(key: string, description: string): string {
  if (/per m² and m\/s/.test(description)) return 'N·s/m³';
  return (
    BY_SUFFIX.find(([suffix]) => suffix.test(key))?.[1] ??
    BY_WORDS.find(([words]) => words.test(description.split(/[.;]/)[0] ?? ''))?.[1] ??
    ''
  );
}

export interface Typed {
  value: number;
  /** Where something was wrong, why; the value is then the old one. */
  problem?: string;
}

/** What someone typed into a field that shows `unit` and now holds `old`. */
export function readNumber(text: string, old: number, unit = ''): Typed {
  const trimmed = text.trim();
  const relative = /^([+\-*/])=\s*(.*)$/.exec(trimmed);
  const value = amount(relative ? relative[2]! : trimmed, unit);
  if (value === null) return { value: old, problem: `“${trimmed}” is no number${unit ? ` of ${unit}` : ''}` };
  const result = { '+': old + value, '-': old - value, '*': old * value, '/': old / value }[relative?.[1] ?? ''] ?? value;
  return Number.isFinite(result) ? { value: result } : { value: old, problem: `“${trimmed}” is not finite` };
}

/** A sum, product or quotient of numbers, with a unit at the end or none. */
function amount(text: string, unit: string): number | null {
  const match = /^(.*?[\d.)])\s*(?!e[+-]?\d)([^\d\s().+*/-][^\s]*)?$/i.exec(text.replaceAll('−', '-').replace(/^([+-]?[\d.]+),(\d+)$/, '$1.$2'));
  if (!match) return null;
  const [, sum = '', suffix] = match;
  const factor = suffix === undefined ? 1 : suffix === unit ? 1 : suffix === '%' ? 0.01 : FAMILIES[unit]?.[suffix];
  const value = calculate(sum);
  return factor === undefined || value === null ? null : value * factor;
}

/** + − * / and brackets, by descent. */
export function calculate(text: string): number | null {
  const tokens = text.match(/\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|[-+*/()]|\S/gi) ?? [];
  let next = 0;
  const term = (): number => {
    const token = tokens[next++];
    if (token === '-') return -term();
    if (token === '+') return term();
    if (token === '(') {
      const inner = sum();
      return tokens[next++] === ')' ? inner : NaN;
    }
    return token === undefined || !/^[\d.]/.test(token) ? NaN : Number(token);
  };
  const product = (): number => {
    let value = term();
    while (tokens[next] === '*' || tokens[next] === '/') value = tokens[next++] === '*' ? value * term() : value / term();
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[next] === '+' || tokens[next] === '-') value = tokens[next++] === '+' ? value + product() : value - product();
    return value;
  };
  const value = sum();
  return next === tokens.length && !Number.isNaN(value) ? value : null;
}

/** A value in a field: as many digits as its step needs, thousands grouped, no trailing noise. */
export function shown(value: number, step = 0.01): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1e7 || (value !== 0 && Math.abs(value) < 1e-4)) return value.toExponential(2).replace('e+', 'e');
  const digits = step >= 1 ? 0 : Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  const own = Math.min(6, (/\.(\d+)$/.exec(String(Number(value.toPrecision(6))))?.[1] ?? '').length);
  const text = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: Math.max(digits, own) });
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}

/** The same for a value that changes with time: always as many digits as its step, so that it does not jump in width. */
export function steady(value: number, step = 0.01): string {
  const digits = step >= 1 ? 0 : Math.min(4, Math.ceil(-Math.log10(step) - 1e-9));
  return shown(Number(value.toFixed(digits)), step);
}
