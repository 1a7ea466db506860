import { member, members } from '../../../openapi/document/document-node.ts';
import {
  isArraySchema,
  isObjectSchema,
  type Schema,
  schemaProperties,
} from '../../../openapi/schemas/schema.ts';
import type { AnswerPath, PagesTold } from '../../paging.ts';
import type { Derivation } from '../operations/derivation.ts';
import { answerSchema, holdsOneList, type ListAnswer } from './list-answer.ts';
import { isPageContainer, pageWord } from './page-words.ts';

/** Objects within objects that are looked into. */
const DEEPEST = 3;

/** What the document says that the answers of a list say of its pages, by the names of properties and header fields. */
export function answerSigns(derivation: Derivation, list: ListAnswer): PagesTold {
  const schema = answerSchema(derivation, list.operation);
  const words = schema === undefined ? [] : wordsIn(derivation, schema, []);
  const headers = members(member(list.operation.response, 'headers')).map(([name]) => name.toLowerCase());
  return {
    next: words.includes('next') || headers.some((name) => NEXT_HEADERS.has(name)),
    more: words.includes('more') || words.includes('last') || words.includes('pages'),
    total: words.includes('total') || headers.some((name) => TOTAL_HEADERS.has(name)),
  };
}

/**
 * Whether values of a schema are pages of a list by themselves, as in
 * `{ "data": […], "has_more": true, "url": "/v1/charges/ch_1/refunds" }`: one array of objects, and a word that says
 * whether or where there is more of it.
 */
export function isPageOfList(derivation: Derivation, schema: Schema): boolean {
  const words = new Set(wordsIn(derivation, schema, []));
  return (words.has('next') || words.has('more')) && holdsOneList(derivation, schema);
}

const NEXT_HEADERS: ReadonlySet<string> = new Set([
  'link',
  'x-next-page',
  'x-next-cursor',
  'x-ms-continuation',
  'x-continuation-token',
]);
const TOTAL_HEADERS: ReadonlySet<string> = new Set(['x-total-count', 'x-total', 'x-wp-total', 'total-count']);

function wordsIn(derivation: Derivation, schema: Schema, path: AnswerPath): readonly string[] {
  if (!isObjectSchema(schema)) return [];
  return [...schemaProperties(schema)].flatMap(([name, node]) => {
    const place = [...path, name];
    const word = pageWord(place);
    const isContainer = isPageContainer(name) && place.length < DEEPEST + 1;
    if (word === undefined && !isContainer) return [];
    const inner = derivation.read(node);
    if (inner === undefined || isArraySchema(inner)) return [];
    const within = isContainer ? wordsIn(derivation, inner, place) : [];
    return word === undefined || isObjectSchema(inner) ? within : [word.kind];
  });
}
