/**
 * What is looked at, on screen: a field's colours on skins and section, a field of directions as lines, and the cut.
 * Values come whenever they change; the newest of each look is kept, so that switching between them needs no answer.
 */
import type { Scene } from 'three';
import type { Field, LookWord, Section } from '../client/wire';
import type { Vec3 } from '../document/vector';
import { SurfaceDirections, spacingOf } from './directions';
import { FatLines } from './fatLines';
import { FieldPaint } from './fieldPaint';
import { PointGrid } from './pointGrid';
import { SectionMesh } from './sectionMesh';
import type { SoftBody } from './softBody';

export const DIRECTION_LOOKS = ['primary', 'secondary', 'tertiary'] as const;
export type DirectionLook = (typeof DIRECTION_LOOKS)[number];

/** Tokens of the directions' colours, in the order of `DIRECTION_LOOKS`. */
const DIRECTION_TOKENS: Record<DirectionLook, string> = { primary: '--dir-1', secondary: '--dir-2', tertiary: '--dir-3' };

interface Surface {
  body: number;
  lines: SurfaceDirections;
}

export class FieldShow {
  readonly paint = new FieldPaint();
  readonly section: SectionMesh;
  readonly lines = new FatLines(1.6);
  look: LookWord | null = null;
  /** Whose values the section has: those of the view that is used. */
  sectionLook: LookWord | null = null;
  directions: DirectionLook | null = null;
  private bodies: readonly SoftBody[] = [];
  private readonly known = new Map<string, Field>();
  private readonly onSkin = new Map<number, SurfaceDirections>();
  private readonly grids = new Map<number, PointGrid>();
  private onSection: (Surface & { revision: number }) | null = null;
  private token: (name: string) => string = () => '';
  private ends = new Float32Array();

  constructor(
    scene: Scene,
    private readonly redraw: () => void,
  ) {
    this.section = new SectionMesh(this.paint);
    scene.add(this.section.mesh, this.lines.mesh);
  }

  /** Bodies were made anew: nothing that was known holds for them. */
  setBodies(bodies: readonly SoftBody[]): void {
    this.bodies = bodies;
    this.known.clear();
    this.onSkin.clear();
    this.grids.clear();
    this.onSection = null;
    this.section.hide();
    this.lines.set(this.ends, 0);
  }

  setTheme(token: (name: string) => string): void {
    this.token = token;
    this.paint.setTheme(token);
    if (this.directions) this.colourLines(this.directions);
  }

  /** What bodies are coloured by in the view that is drawn next. */
  wear(look: LookWord | null): void {
    this.look = look;
    if (look) this.paint.choose(look);
    this.bodies.forEach((_, body) => this.colour(body));
    this.section.setColoured(look !== null && look === this.sectionLook);
  }

  setDirections(look: DirectionLook | null): void {
    this.directions = look;
    if (look) this.colourLines(look);
    this.redraw();
  }

  take(field: Field): void {
    this.known.set(`${field.body} ${field.look}`, field);
    if (field.components === 1) this.paint.span(field.look, field.low, field.high);
    this.redraw();
  }

  /** The body shows nothing of this look any more: what it was is forgotten. */
  forget(body: number, look: LookWord): void {
    if (!this.known.delete(`${body} ${look}`)) return;
    this.redraw();
  }

  takeSection(section: Section): void {
    if (!this.bodies[section.body]) return;
    const known = this.section.shapeRevision;
    this.section.show(section);
    if (known !== this.section.shapeRevision) this.bodies.forEach((body, i) => body.setSides(i === section.body ? section.side : null));
    this.redraw();
  }

  hideSection(): void {
    this.section.hide();
    this.onSection = null;
    for (const body of this.bodies) body.setSides(null);
    this.redraw();
  }

  /** What is known of a look. */
  valuesOf(body: number, look: LookWord): Field | undefined {
    return this.known.get(`${body} ${look}`);
  }

  /** The flesh point nearest to a place of the rest shape. */
  fleshNear(body: number, atRest: Vec3): number {
    return this.gridOf(body)?.nearest(atRest) ?? 0;
  }

  /** About the length of an edge of the flesh. */
  /** From corner to corner of its rest shape. */
  sizeOf(body: number): number {
    return this.gridOf(body)?.sizeM ?? 1;
  }

  edgeOf(body: number): number {
    return this.gridOf(body)?.edgeM ?? 0.01;
  }

  /** Lines follow the bodies; called before pictures that show new frames. */
  update(): void {
    const { directions } = this;
    const sets = directions ? this.bodies.flatMap((_, body) => this.surfacesOf(body, directions)) : [];
    const count = sets.reduce((sum, { lines }) => sum + lines.count, 0);
    if (this.ends.length < 6 * count) this.ends = new Float32Array(6 * count);
    let first = 0;
    for (const { lines, write } of sets) {
      write(this.ends, first);
      first += lines.count;
    }
    this.lines.set(this.ends, count);
  }

  dispose(): void {
    this.paint.dispose();
    this.section.dispose();
    this.lines.dispose();
  }

  private colourLines(look: DirectionLook): void {
    this.lines.setColour(this.token(DIRECTION_TOKENS[look]), this.token('--bg-panel'));
  }

  private colour(body: number): void {
    const field = this.look ? this.known.get(`${body} ${this.look}`) : undefined;
    this.bodies[body]?.setField(field && field.components === 1 ? field.values : null);
  }

  private surfacesOf(index: number, look: DirectionLook): { lines: SurfaceDirections; write(out: Float32Array, first: number): void }[] {
    const body = this.bodies[index];
    const field = this.known.get(`${index} ${look}`);
    const flesh = body?.fleshNow;
    if (!body || !flesh || field?.components !== 3) return [];
    const skin = this.skinLines(index, body);
    const now = body.picker.skinNow();
    const found = [{
      lines: skin,
      write: (out: Float32Array, first: number) =>
        skin.write(now, flesh.origin, field.values, (corner) => body.picker.isGone(corner), out, first),
    }];
    const { section } = this.section;
    if (section?.body === index) {
      const lines = this.sectionLines(section, body);
      found.push({ lines, write: (out, first) => lines.write(section.world, [0, 0, 0], field.values, () => false, out, first) });
    }
    return found;
  }

  private skinLines(index: number, body: SoftBody): SurfaceDirections {
    const known = this.onSkin.get(index);
    if (known) return known;
    const spacing = spacingOf(this.gridOf(index)?.sizeM ?? 1);
    const lines = new SurfaceDirections(body.restSkin, body.model.triangles, spacing, ([corner]) => heaviest(body, corner));
    this.onSkin.set(index, lines);
    return lines;
  }

  private sectionLines(section: Section, body: SoftBody): SurfaceDirections {
    const { shapeRevision: revision } = this.section;
    if (this.onSection?.revision === revision) return this.onSection.lines;
    const spacing = 0.8 * spacingOf(this.gridOf(section.body)?.sizeM ?? 1);
    const near = (_: unknown, atRest: Vec3): number => this.fleshNear(section.body, atRest);
    const lines = new SurfaceDirections(section.rest, section.triangles, spacing, near);
    this.onSection = { body: this.bodies.indexOf(body), lines, revision };
    return lines;
  }

  private gridOf(index: number): PointGrid | null {
    const known = this.grids.get(index);
    const body = this.bodies[index];
    if (known || !body) return known ?? null;
    const grid = new PointGrid(body.model.rest);
    this.grids.set(index, grid);
    return grid;
  }
}

/** The flesh point that weighs most in a skin vertex. */
function heaviest({ model }: SoftBody, vertex: number): number {
  let best = model.rowStart[vertex]!;
  for (let term = best; term < model.rowStart[vertex + 1]!; term++) {
    if (model.rowWeight[term]! > model.rowWeight[best]!) best = term;
  }
  return model.rowPoint[best] ?? 0;
}
