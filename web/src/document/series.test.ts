import { expect, it } from 'vitest';
import { unbroken } from './series';

it('draws no line over frames that were not seen', () => {
  // As a slow first loop leaves it: the playhead stood at 28 and 29, then 130 came.
  const series: [number, number][] = [[28, -34], [29, -35.7], [130, 18.8], [131, 18.9], [140, 12]];
  expect(unbroken(series)).toEqual([[[28, -34], [29, -35.7]], [[130, 18.8], [131, 18.9]], [[140, 12]]]);
  expect(unbroken([])).toEqual([]);
});
