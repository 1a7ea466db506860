import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { CollectionControl } from '../json/entity-content.ts';
import type { EntityShape } from '../json/json.ts';
import type { JsonText } from '../json/json-text.ts';
import type { JsonFormat, LIST_MEDIA_TYPES, ODataVersion } from '../negotiation/format.ts';

/** A format that lists of entities can be had in. */
export interface ListFormat {
  readonly mediaType: (typeof LIST_MEDIA_TYPES)[number];
  /** The form that a media type with these parameters asks for; undefined where it cannot be written. */
  formOf(parameters: ReadonlyMap<string, string>): ListForm | undefined;
}

/** How the answer to one request is written. */
export interface ListForm {
  contentType(version: ODataVersion): string;
  /** How values are given to the writer. */
  readonly values: JsonFormat;
  /** A list that is a file has all of its entities, and a name that ends so; others come in pages. */
  readonly extension?: string;
  write(list: WrittenList, budget: RequestBudget): Promise<JsonText>;
}

interface WrittenList {
  readonly shape: EntityShape;
  readonly rows: readonly Row[];
  readonly control: CollectionControl;
  /** Of the entity set, or of the type where the entities are of none. */
  readonly name: string;
}
