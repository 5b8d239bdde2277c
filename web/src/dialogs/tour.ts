import { preferences } from '../workspace/preferences';
import type { Studio } from '../workspace/studio.svelte';

interface Card {
  title: string;
  text: string;
}

export const TOUR: readonly Card[] = [
  { title: 'Pull it', text: 'Drag the body with the left button: it follows while time runs. The touch tool (W) taps it instead.' },
  { title: 'Look around', text: 'Middle button orbits, Shift and middle pans, the wheel zooms. F frames what is selected.' },
  { title: 'Change it', text: 'Select something on the left, change it on the right: drag a number, or click and type 1/3 or 12cm.' },
  { title: 'Key it', text: 'The diamond beside a value keys it at this frame. Keys stand in the dope sheet below; drag them.' },
  { title: 'Make it yours', text: 'Drop a mesh file on the page to make a scene of it. Ctrl K finds everything else.' },
];

const KEY = 'tour';

/** Shown once; it comes back from Help. */
export function beginTour(studio: Studio): void {
  if (preferences.get(KEY) === undefined) studio.tour = 0;
}

export function endTour(studio: Studio): void {
  studio.tour = null;
  preferences.set(KEY, 'seen');
}
