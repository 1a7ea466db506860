import { useEffect, useRef } from 'react';

interface Pages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  fetchNextPage(): unknown;
}

/** Loads the next page when the end of the list becomes visible, or by a button. */
export function MoreItems({ pages }: { readonly pages: Pages }) {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const mayLoad = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (!mayLoad || end.current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) fetchNextPage();
      },
      { rootMargin: '600px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [mayLoad, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className="more">
      {isFetchNextPageError && <p role="alert">The next items could not be loaded.</p>}
      <button type="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {isFetchingNextPage ? 'Loading …' : isFetchNextPageError ? 'Try again' : 'Show more'}
      </button>
    </div>
  );
}
