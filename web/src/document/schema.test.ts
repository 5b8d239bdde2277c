import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Table } from './scene';
import { Schema, presetNumbers } from './schema';

const schema = new Schema(JSON.parse(readFileSync('../docs/scene.schema.json', 'utf8')) as Table);
const kinds = (part: string, value: Table = {}) => Object.fromEntries(schema.fields(part, value).map((field) => [field.key, field.kind]));

describe('the schema', () => {
  it('gives every value of a body, camera and obstacle the editor it needs', () => {
    expect(kinds('Body')).toMatchObject({
      name: 'text', at: 'vector', turn: 'vector', velocity: 'vector', restitution: 'number', self_contact: 'switch', colour: 'colour',
    });
    expect(kinds('Camera')).toEqual({ eye: 'channel3', look_at: 'channel3', fov_deg: 'channel', lens_mm: 'channel' });
    expect(kinds('Obstacle', { shape: 'capsule' })).toMatchObject({ at: 'channel3', friction: 'channel' });
    expect(kinds('Obstacle', { shape: 'sphere', radius: 1 })).toMatchObject({ radius: 'number', at: 'channel3' });
    expect(kinds('Director', { kind: 'pin', on: 'left' })).toMatchObject({ on: 'set', move: 'channel3', turn: 'channel3', weight: 'channel', mute: 'switch' });
    expect(kinds('Solver', { kind: 'fem' })).toMatchObject({ iterations: 'number', newton_iterations: 'number', tolerance: 'number' });
    expect(kinds('Solver', { kind: 'shape_matching' })).toMatchObject({ iterations: 'number', stiffness: 'number' });
  });

  it('knows units, ranges, words and help', () => {
    const fov = schema.fields('Camera', {}).find((field) => field.key === 'fov_deg')!;
    expect(fov).toMatchObject({ unit: '°', low: 1, high: 170, optional: true });
    const stiffness = schema.fields('Solver', { kind: 'shape_matching' }).find((field) => field.key === 'stiffness')!;
    expect(stiffness).toMatchObject({ low: 0, high: 1, initial: 1, bar: { low: 0, high: 1 } });
    expect(stiffness.about).toContain('below 1 is softer');
    expect(schema.choices('Solver', 'kind').map(({ word }) => word)).toEqual(['shape_matching', 'fem', 'springs']);
    expect(schema.choices('Obstacle', 'shape').map(({ word }) => word)).toEqual(['plane', 'sphere', 'box', 'capsule', 'mesh']);
    expect(schema.choices('Director', 'kind').map(({ word }) => word)).toContain('pin');
    expect(schema.words('MaterialPreset').map(({ word }) => word)).toContain('rubber');
    expect(schema.words('Axis').map(({ word }) => word)).toEqual(['x', '-x', 'y', '-y', 'z', '-z']);
  });

  it('names the numbers of every material preset', () => {
    for (const { word, about } of schema.words('MaterialPreset')) {
      expect(Object.keys(presetNumbers(about)), word).toEqual(['density_kg_m3', 'young_pa', 'poisson']);
    }
    expect(presetNumbers('Soft, wet, wobbly: 1050 kg/m³, 20 kPa, Poisson 0.45.')).toEqual({ density_kg_m3: 1050, young_pa: 20_000, poisson: 0.45 });
  });
});
