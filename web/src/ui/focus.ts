/** Whose the keyboard is: after a click it is the stage's again; who goes through the page by keys stays where they are. */

/** Lets go of a button that was clicked with the mouse, before what it does notes where the keyboard was. */
export function releaseButton(event: MouseEvent): void {
  if (event.detail === 0) return; // a key pressed it
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('button') : null;
  if (button && !button.closest('[role=dialog], [role=menu]')) button.blur();
}

export function focusStage(): void {
  document.querySelector<HTMLElement>('main canvas')?.focus({ preventScroll: true });
}
