/** Finds things by what someone types. What a thing is called comes first; what is said about it only after all names. */

export interface Named {
  name: string;
  /** Said about it. */
  note?: string;
}

/** How well a query fits, the best first; 0 is not at all. */
const EXACT = 7;
const BEGINS = 6;
const WORDS = 5;
const WORD_STARTS = 4;
const INSIDE = 3;
const NOTED = 2;
const SCATTERED = 1;

/** Fewer letters than these are in every other name. */
const FEWEST_SCATTERED = 4;

const wordsOf = (text: string): string[] => text.toLowerCase().split(/[\s·,/.:()-]+/).filter((word) => word !== '');

export function match(query: string, { name, note = '' }: Named): number {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return EXACT;
  // A project is called as its folder.
  const given = name.toLowerCase().replace(/(\/scene)?\.toml$/, '').replace(/…$/, '');
  const [parts, words] = [wordsOf(wanted), wordsOf(name)];
  if (given === wanted) return EXACT;
  if (given.startsWith(wanted)) return BEGINS;
  if (parts.length > 0 && parts.every((part) => words.includes(part))) return WORDS;
  if (parts.length > 0 && parts.every((part) => words.some((word) => word.startsWith(part)))) return WORD_STARTS;
  if (given.includes(wanted)) return INSIDE;
  const noted = wordsOf(note);
  if (parts.length > 0 && parts.every((part) => [...words, ...noted].some((word) => word.startsWith(part)))) return NOTED;
  return isScattered(wanted.replaceAll(' ', ''), given) ? SCATTERED : 0;
}

/** Whether its letters come in this order, from the beginning of the name on. */
function isScattered(letters: string, name: string): boolean {
  if (letters.length < FEWEST_SCATTERED || letters[0] !== name[0]) return false;
  let at = 0;
  for (const letter of letters) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

export interface Scored<T> {
  item: T;
  score: number;
}

/** The best first, ties in the given order. */
export function ranked<T extends Named>(query: string, items: readonly T[]): Scored<T>[] {
  return items
    .map((item, i) => ({ item, i, score: match(query, item) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.i - b.i)
    .map(({ item, score }) => ({ item, score }));
}

/**
 * Groups of things, that with the best hit first. Where anything is called so, what only has its letters is left out; where a whole
 * name or its beginning is, so is what only mentions it.
 */
export function grouped<T extends Named>(query: string, groups: readonly { heading: string; entries: readonly T[]; most: number }[]): { heading: string; entries: T[] }[] {
  const found = groups.map(({ heading, entries, most }) => ({ heading, most, hits: ranked(query, entries) }));
  const best = Math.max(0, ...found.map(({ hits }) => hits[0]?.score ?? 0));
  const least = best >= BEGINS ? NOTED + 1 : best > SCATTERED ? NOTED : SCATTERED;
  return found
    .map(({ heading, most, hits }) => ({ heading, top: hits[0]?.score ?? 0, entries: hits.filter(({ score }) => score >= least).slice(0, most).map(({ item }) => item) }))
    .filter(({ entries }) => entries.length > 0)
    .sort((a, b) => b.top - a.top)
    .map(({ heading, entries }) => ({ heading, entries }));
}
