/** Frame rates as words of a list: `24`, `24000/1001`. */
import type { Json } from '../document/generated/protocol';

export const RATES: readonly string[] = ['24', '25', '30', '48', '50', '60', '24000/1001', '30000/1001'];

export function rateOf(word: string): [number, number] {
  const [over = '24', under = '1'] = word.split('/');
  return [Number(over), Number(under)];
}

export function rateWord(fps: Json | undefined): string {
  return Array.isArray(fps) ? fps.join('/') : String(fps ?? 24);
}
