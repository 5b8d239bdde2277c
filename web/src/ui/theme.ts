/** Dark or light. The choice is kept with the browser, not with the scene. */
const KEY = 'sinew.theme';

export function restoreTheme(): void {
  const kept = localStorage.getItem(KEY);
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept;
}

export function toggleTheme(): void {
  const theme = document.documentElement.dataset.theme === 'light' ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(KEY, theme);
}
