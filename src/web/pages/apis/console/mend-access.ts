/**
 * Gives what Swagger UI draws the names and the reach by keyboard that it lacks, now and whenever it draws anew.
 * The result stops that.
 */
export function mendAccess(root: HTMLElement): () => void {
  const mend = (): void => {
    for (const text of root.querySelectorAll('pre:not([tabindex])')) text.setAttribute('tabindex', '0');
    for (const choice of root.querySelectorAll('select:not([aria-label], [id])')) {
      choice.setAttribute('aria-label', 'Examples');
    }
  };
  const observer = new MutationObserver(mend);
  observer.observe(root, { childList: true, subtree: true });
  mend();
  return () => observer.disconnect();
}
