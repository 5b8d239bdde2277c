import { describe, expect, it } from 'vitest';
import { calculate, readNumber, shown, unitOf } from './units';

describe('typed numbers', () => {
  it('are sums, units and changes', () => {
    const read = (text: string, unit = '', old = 10) => readNumber(text, old, unit).value;
    expect(read('1/3')).toBeCloseTo(1 / 3, 12);
    expect(read('12cm', 'm')).toBeCloseTo(0.12, 12);
    expect(read('12 cm', 'm')).toBeCloseTo(0.12, 12);
    expect(read('+=2')).toBe(12);
    expect(read('*=1/2')).toBe(5);
    expect(read('-=5mm', 'm')).toBeCloseTo(9.995, 12);
    expect(read('20 kPa', 'Pa')).toBe(20_000);
    expect(read('45°', '°')).toBe(45);
    expect(read('0.5rad', '°')).toBeCloseTo(28.6479, 3);
    expect(read('-(2+3)*4')).toBe(-20);
    expect(read('2e4')).toBe(20_000);
    expect(read('0,5')).toBe(0.5);
    expect(read('50%')).toBe(0.5);
  });

  it('leave the old value where they are none, and say why', () => {
    for (const text of ['', 'abc', '1..2', '12 apples', '1/0', '(1', '12cm']) {
      const typed = readNumber(text, 7, 'kg');
      expect([typed.value, Boolean(typed.problem)], text).toEqual([7, true]);
    }
    expect(calculate('2 3')).toBeNull();
  });

  it('are shown with steady digits', () => {
    expect([shown(0.5, 0.01), shown(854, 1), shown(20_000, 1), shown(0.123456, 0.01), shown(0, 0.01), shown(-0.0001, 0.01)])
      .toEqual(['0.50', '854', '20,000', '0.123456', '0.00', '-0.0001']);
    expect([shown(-0, 0.01), shown(-0, 1)]).toEqual(['0.00', '0']);
    expect([shown(1e9, 1), shown(2e-6, 0.01)]).toEqual(['1.00e9', '2.00e-6']);
  });

  it('have units that their names and descriptions tell', () => {
    expect(unitOf('density_kg_m3', 'Density, kg/m³.')).toBe('kg/m³');
    expect(unitOf('at', 'Where its centre is, metres.')).toBe('m');
    expect(unitOf('turn', 'Its turn about x, then y, then z, degrees.')).toBe('°');
    expect(unitOf('period', 'Seconds of one cycle. Where it changes over time, the cycle …')).toBe('s');
    expect(unitOf('normal_drag', 'Drag against motion across the surface, N per m² and m/s.')).toBe('N·s/m³');
    expect(unitOf('gravity', 'Acceleration of free fall, m/s².')).toBe('m/s²');
    expect(unitOf('newton', 'Newton, over the whole set, shared by mass.')).toBe('N');
    expect(unitOf('tolerance', 'Newton stops when the step’s residual is below this share of where it began.')).toBe('');
    expect(unitOf('iterations', 'Extra matching passes: more is stiffer.')).toBe('');
  });
});
