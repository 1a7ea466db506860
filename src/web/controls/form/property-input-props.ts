import type { Property } from '../../service/metadata.ts';
import type { Draft } from './draft.ts';
import type { Problems } from './read-draft.ts';

/** What an input, or a group of them, for one property is told. */
export interface PropertyInputProps {
  readonly property: Property;
  readonly draft: Draft;
  readonly problems: Problems;
  /** Of the property's value, such as `Address/City`. */
  readonly path: string;
  readonly onChange: (draft: Draft) => void;
}
