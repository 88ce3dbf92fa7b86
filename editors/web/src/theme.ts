// The theme: that of the system, until the address or the user says otherwise.
import { element } from './elements';

type Theme = 'dark' | 'light';

/** Applies the theme, and again when it changes; `changed` draws what does not follow by itself. */
export function applyTheme(asked: string | null, changed: () => void): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen: Theme | undefined = asked === 'dark' || asked === 'light' ? asked : undefined;
  const theme = () => chosen ?? (system.matches ? 'dark' : 'light');
  const apply = () => {
    document.documentElement.dataset.theme = theme();
    changed();
  };
  system.addEventListener('change', apply);
  element('page-theme').addEventListener('click', () => {
    chosen = theme() === 'dark' ? 'light' : 'dark';
    apply();
  });
  apply();
}
