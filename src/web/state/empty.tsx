import { Notice } from './notice.tsx';

interface EmptyProps {
  /** True if a search or filter has no matches. */
  readonly isNarrowed: boolean;
  readonly reset: () => void;
}

export function Empty({ isNarrowed, reset }: EmptyProps) {
  if (!isNarrowed) {
    return (
      <Notice title="Nothing here yet">
        <p>This list is empty.</p>
      </Notice>
    );
  }
  return (
    <Notice title="Nothing matches">
      <p>No item fits the search and the filters.</p>
      <button type="button" onClick={reset}>
        Clear search and filters
      </button>
    </Notice>
  );
}
