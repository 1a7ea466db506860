import { quantity } from './api-state.tsx';

interface WrittenPlaceProps {
  readonly pointer: string;
  readonly file?: 'overlay' | undefined;
  /** How many other places there are. */
  readonly others?: number | undefined;
}

/** Where something is written, by its JSON pointer. */
export function WrittenPlace({ pointer, file, others = 0 }: WrittenPlaceProps) {
  return (
    <>
      {file === 'overlay' && 'In the overlay: '}
      <code>{pointer || '/'}</code>
      {others > 0 && ` and ${quantity(others, 'other place')}`}
    </>
  );
}
