import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { CollectionControl } from '../json/entity-content.ts';
import type { EntityShape } from '../json/json.ts';
import type { JsonText, PortionWriter } from '../json/json-text.ts';
import type { JsonFormat, LIST_MEDIA_TYPES, ODataVersion } from '../negotiation/format.ts';

/** A format for lists of entities. */
export interface ListFormat {
  readonly mediaType: (typeof LIST_MEDIA_TYPES)[number];
  /** The format with media type parameters; undefined if they are not supported. */
  formOf(parameters: ReadonlyMap<string, string>): ListForm | undefined;
}

/** The format of one response. */
export interface ListForm {
  contentType(version: ODataVersion): string;
  /** The JSON format of the values. */
  readonly values: JsonFormat;
  /** The extension of a file format, whose lists are complete; undefined for paged formats. */
  readonly extension?: string;
  write(list: WrittenList, budget: RequestBudget): Promise<JsonText>;
  /** Returns the writer of a list whose rows come in portions; undefined if a list of the shape is written as a whole only. */
  portionWriter?(shape: EntityShape): ((list: PortionedList) => PortionWriter) | undefined;
  /** The end of a list that breaks off: it leaves the content malformed. */
  readonly brokenBy?: string;
}

/** A list whose rows come in portions. */
export interface PortionedList {
  readonly control: Omit<CollectionControl, 'nextLink' | 'deltaLink'>;
  /** The name of the entity set, or of the type for entities without a set. */
  readonly name: string;
  /** The number of rows in all portions, if it is known before. */
  readonly total: number | undefined;
}

interface WrittenList {
  readonly shape: EntityShape;
  readonly rows: readonly Row[];
  readonly control: CollectionControl;
  /** The name of the entity set, or of the type for entities without a set. */
  readonly name: string;
}
