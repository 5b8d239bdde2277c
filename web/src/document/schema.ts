/**
 * The JSON Schema of scenes, as far as editors need it: which editor a value gets, its unit, range, words and help.
 * One description serves the file format, its reference page and the inspector.
 */
import { type Json, type Table, inWords, isTable } from './scene';
import { unitOf } from './units';

export interface Word {
  word: string;
  about: string;
}

interface Common {
  key: string;
  label: string;
  /** The schema's own sentence. */
  about: string;
  /** Whether it may be left out, and what it then is (undefined: nothing). */
  optional: boolean;
  initial: Json | undefined;
}

/** A number's unit and range. `low` and `high` are hard; `bar` is where people usually are. */
export interface Range {
  unit: string;
  whole: boolean;
  low: number;
  high: number;
  bar: { low: number; high: number; log: boolean } | null;
}

/** What edits a value. */
export type Field = Common &
  (
    | ({ kind: 'number' | 'channel' } & Range)
    | ({ kind: 'vector' | 'channel3'; size: number } & Range)
    | { kind: 'word'; words: Word[] }
    | { kind: 'switch' }
    | { kind: 'colour' }
    | { kind: 'text'; pattern: string }
    | { kind: 'set' }
    | { kind: 'other'; schema: Table }
  );

/** Where people usually are with a number whose hard limits say little. Below a log bar's low end it still types. */
const BARS: Record<string, { low: number; high: number; log?: boolean }> = {
  vertices: { low: 30, high: 30_000, log: true }, iterations: { low: 0, high: 30 }, passes: { low: 1, high: 30 },
  substeps: { low: 1, high: 20 }, newton_iterations: { low: 1, high: 30 }, tolerance: { low: 1e-6, high: 0.1, log: true },
  density_kg_m3: { low: 100, high: 10_000, log: true }, young_pa: { low: 1e3, high: 1e8, log: true },
  poisson: { low: 0, high: 0.5 }, wobble_per_sec: { low: 0, high: 30 }, rayleigh_mass_per_sec: { low: 0, high: 30 },
  rayleigh_stiffness_secs: { low: 0, high: 0.1 }, region_damping: { low: 0, high: 60 }, period: { low: 0, high: 5 },
  speed: { low: 0, high: 5 }, rate_limit: { low: 1, high: 8 }, weight: { low: 0, high: 1 }, normal_drag: { low: 0, high: 50 },
  tangential_drag: { low: 0, high: 50 }, friction: { low: 0, high: 2 }, forward: { low: 0, high: 2 }, backward: { low: 0, high: 2 },
  sideways: { low: 0, high: 2 }, fov_deg: { low: 10, high: 90 }, lens_mm: { low: 12, high: 200 }, strength: { low: 0, high: 3 },
  ambient: { low: 0, high: 1 }, stiffness: { low: 0, high: 1 }, damping: { low: 0, high: 4 }, settle: { low: 0, high: 1 },
  twist_deg: { low: -180, high: 180 }, bend_deg: { low: -180, high: 180 }, thickness: { low: 1e-4, high: 1, log: true },
  radius: { low: 0, high: 2 }, height: { low: 0, high: 2 }, length: { low: 0, high: 2 }, spacing: { low: 0, high: 3 },
  scale: { low: 0, high: 4 }, within: { low: 0, high: 1 }, pitch_deg: { low: -90, high: 90 },
};

export class Schema {
  private readonly defs: Table;

  constructor(root: Table) {
    this.defs = isTable(root.$defs) ? root.$defs : {};
  }

  /** The schema of one of the named parts: `Body`, `Camera`. */
  part(name: string): Table {
    const part = this.defs[name];
    return isTable(part) ? part : {};
  }

  /** The fields of a part whose value is `value`: of a choice, those of the branch that the value is. */
  fields(part: Table | string, value: Json | undefined): Field[] {
    const schema = typeof part === 'string' ? this.part(part) : this.resolved(part);
    const branch = this.branchOf(schema, value);
    const own = isTable(schema.properties) ? schema.properties : {};
    const more = branch && isTable(branch.properties) ? branch.properties : {};
    const required = [schema.required, branch?.required].flatMap((names) => (Array.isArray(names) ? names : []));
    return Object.entries({ ...own, ...more }).flatMap(([key, field]) =>
      isTable(field) && !('const' in field) ? [this.field(key, field, !required.includes(key))] : [],
    );
  }

  /** The words of a tagged choice (`kind` of a solver, `shape` of an obstacle) with what they are. */
  choices(part: Table | string, tag: string): Word[] {
    const schema = typeof part === 'string' ? this.part(part) : this.resolved(part);
    return this.branches(schema).flatMap((branch) => {
      const entry = isTable(branch.properties) ? branch.properties[tag] : undefined;
      return isTable(entry) && typeof entry.const === 'string' ? [{ word: entry.const, about: text(branch.description) }] : [];
    });
  }

  /** The words of a plain choice: `MaterialPreset`. */
  words(part: Table | string): Word[] {
    const schema = typeof part === 'string' ? this.part(part) : this.resolved(part);
    if (Array.isArray(schema.enum)) return schema.enum.filter(isText).map((word) => ({ word, about: '' }));
    return this.branches(schema).flatMap((branch) =>
      typeof branch.const === 'string' ? [{ word: branch.const, about: text(branch.description) }] : [],
    );
  }

  field(key: string, given: Table, optional: boolean): Field {
    const { schema, names } = this.unwrap(given);
    const about = text(given.description) || text(schema.description);
    const common = { key, label: inWords(key), about, optional, initial: given.default };
    const range = this.range(key, about, { ...schema, ...limitsOf(given) });
    if (names.includes('Channel') || schema['x-sinew-reader'] === 'channel') return { ...common, kind: 'channel', ...range };
    if (names.includes('Channel3')) return { ...common, kind: 'channel3', size: 3, ...range };
    if (names.includes('Colour')) return { ...common, kind: 'colour' };
    if (key === 'on') return { ...common, kind: 'set' };
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    if (types.includes('number') || types.includes('integer')) return { ...common, kind: 'number', ...range };
    if (types.includes('boolean')) return { ...common, kind: 'switch' };
    const items = isTable(schema.items) ? schema.items : {};
    if (types.includes('array') && (items.type === 'number' || items.type === 'integer') && typeof schema.maxItems === 'number' && schema.maxItems === schema.minItems) {
      return { ...common, kind: 'vector', size: schema.maxItems, ...this.range(key, about, items) };
    }
    const words = this.words(schema);
    // The schema leaves out a default that files leave out; the first word is it.
    if (words.length > 0) return { ...common, kind: 'word', words, initial: given.default ?? (optional ? words[0]!.word : undefined) };
    if (types.includes('string')) return { ...common, kind: 'text', pattern: text(schema.pattern) };
    return { ...common, kind: 'other', schema };
  }

  /** The branch of a choice that a value is: by its tag, else the first whose required keys it has. */
  branchOf(schema: Table, value: Json | undefined): Table | null {
    const branches = this.branches(schema);
    if (branches.length === 0 || !isTable(value)) return null;
    const fits = (branch: Table): boolean => {
      const properties = isTable(branch.properties) ? branch.properties : {};
      const required = Array.isArray(branch.required) ? branch.required.filter(isText) : [];
      return required.every((key) => {
        const entry = properties[key];
        return key in value && (!isTable(entry) || !('const' in entry) || entry.const === value[key]);
      });
    };
    return branches.find(fits) ?? null;
  }

  private branches(schema: Table): Table[] {
    const list = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : [];
    return list.filter(isTable).flatMap((branch) => {
      const inner = this.resolved(branch);
      return Array.isArray(inner.oneOf) || Array.isArray(inner.anyOf) ? this.branches(inner) : [inner];
    });
  }

  resolved(schema: Table): Table {
    const name = refName(schema);
    return name === null ? schema : { ...this.part(name), ...schema };
  }

  /** Follows references and “or nothing”; the names it passed tell channels and colours. */
  private unwrap(schema: Table): { schema: Table; names: string[] } {
    const names: string[] = [];
    let here = schema;
    for (let depth = 0; depth < 8; depth++) {
      const name = refName(here);
      if (name !== null) {
        names.push(name);
        here = this.part(name);
        continue;
      }
      const real = Array.isArray(here.anyOf) ? here.anyOf.filter((branch) => isTable(branch) && branch.type !== 'null') : [];
      const only = real.length === 1 ? real[0] : undefined;
      if (!isTable(only)) break;
      here = only;
    }
    return { schema: here, names };
  }

  private range(key: string, about: string, schema: Table): Range {
    const low = typeof schema.minimum === 'number' ? schema.minimum : -Infinity;
    const high = typeof schema.maximum === 'number' ? schema.maximum : Infinity;
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    return { unit: unitOf(key, about), whole: types.includes('integer'), low, high, bar: barOf(key, low, high) };
  }
}

function barOf(key: string, low: number, high: number): Range['bar'] {
  const usual = BARS[key];
  if (usual) return { low: Math.max(usual.low, low), high: Math.min(usual.high, high), log: usual.log ?? false };
  return Number.isFinite(high - low) && high - low <= 1000 ? { low, high, log: false } : null;
}

const limitsOf = ({ minimum, maximum }: Table): Table => ({
  ...(minimum === undefined ? {} : { minimum }),
  ...(maximum === undefined ? {} : { maximum }),
});

const text = (value: Json | undefined): string => (typeof value === 'string' ? value.replaceAll('\n', ' ') : '');
const isText = (value: Json): value is string => typeof value === 'string';
const refName = (schema: Table): string | null => (typeof schema.$ref === 'string' ? schema.$ref.replace('#/$defs/', '') : null);

/** The numbers a material preset's description names: “Soft, wet: 1050 kg/m³, 20 kPa, Poisson 0.45.” */
export function presetNumbers(about: string): { density_kg_m3?: number; young_pa?: number; poisson?: number } {
  const number = (pattern: RegExp): number | undefined => {
    const found = pattern.exec(about);
    return found ? Number(found[1]) * ({ k: 1e3, M: 1e6, G: 1e9 }[found[2] ?? ''] ?? 1) : undefined;
  };
  const [density, young, poisson] = [number(/([\d.]+) kg\/m³/), number(/([\d.]+) ([kMG]?)Pa/), number(/Poisson ([\d.]*\d)/)];
  return {
    ...(density === undefined ? {} : { density_kg_m3: density }),
    ...(young === undefined ? {} : { young_pa: young }),
    ...(poisson === undefined ? {} : { poisson }),
  };
}
