/** Finds commands by what someone types: letters in order count, words that begin with them count more. */
export function match(query: string, text: string): number {
  const [wanted, given] = [query.trim().toLowerCase(), text.toLowerCase()];
  if (wanted === '') return 1;
  const words = given.split(/[\s·,/.-]+/);
  const parts = wanted.split(/\s+/);
  if (parts.every((part) => words.some((word) => word.startsWith(part)))) return given.startsWith(wanted) ? 4 : 3;
  if (given.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted.replaceAll(' ', '')) {
    at = given.indexOf(letter, at) + 1;
    if (at === 0) return 0;
  }
  return wanted.length > 2 ? 1 : 0;
}

/** The best first, ties in the given order. */
export function ranked<T>(query: string, items: readonly T[], textOf: (item: T) => string): T[] {
  return items
    .map((item, i) => ({ item, i, score: match(query, textOf(item)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.i - b.i)
    .map(({ item }) => item);
}
