import { useEffect } from 'react';

/** Swagger UI is dark where the page has this class. */
const DARK = 'dark-mode';

/** Makes the console as dark as the page is, while it is shown. */
export function useDarkMode(): void {
  useEffect(() => {
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const { classList } = document.documentElement;
    const follow = (): void => void classList.toggle(DARK, dark.matches);
    follow();
    dark.addEventListener('change', follow);
    return () => {
      dark.removeEventListener('change', follow);
      classList.remove(DARK);
    };
  }, []);
}
