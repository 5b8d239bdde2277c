/** What was measured, frame by frame. */

/** A series in parts of frames that follow one another: what lies between them was not seen, and nothing is known of it. */
export function unbroken(series: readonly [number, number][]): [number, number][][] {
  const parts: [number, number][][] = [];
  series.forEach((each, i) => {
    const part = parts.at(-1);
    if (part && each[0] - series[i - 1]![0] <= 1) part.push(each);
    else parts.push([each]);
  });
  return parts;
}
