import type { Operation, Parameter } from './api-document.ts';
import { type ListAnswer, listAnswerOf } from './list-answer.ts';
import { type PageSigns, pageSignsOf } from './page-signs.ts';
import { plainWord } from './plain-word.ts';
import type { SchemaView, Viewer } from './schema-view.ts';

/** The parameters that select a page of a list. */
export type Paging =
  /** All rows come at once. */
  | { readonly kind: 'whole' }
  /** The first rows only, as many as asked for; there is no way to the others. */
  | { readonly kind: 'size'; readonly size: Parameter }
  | {
      readonly kind: 'page';
      readonly parameter: Parameter;
      readonly first: 0 | 1;
      readonly size: Parameter | undefined;
    }
  | { readonly kind: 'offset'; readonly parameter: Parameter; readonly size: Parameter | undefined }
  /** By what the page before said. */
  | { readonly kind: 'cursor'; readonly parameter: Parameter; readonly size: Parameter | undefined }
  /** By the key of the last row of the page before. */
  | { readonly kind: 'last row'; readonly parameter: Parameter; readonly size: Parameter | undefined }
  /** By a URL in the previous response, without a documented parameter. */
  | { readonly kind: 'url'; readonly size: Parameter | undefined };

/** A list operation: where its rows are, and how it is paged. */
export interface PagedList {
  readonly answer: ListAnswer;
  readonly paging: Paging;
  readonly signs: PageSigns;
  /** The answer has a `Link` header field (RFC 8288). */
  readonly hasLink: boolean;
  /** An offset that is taken besides. */
  readonly offset: Parameter | undefined;
}

const SIZE =
  /^(limit|(page)?size|pagelimit|perpage|maxresults?|maxitems|itemsperpage|resultsperpage|top|take|first|pagelen)$/;
const PAGE = /^page(number|num|no|index)?$/;
const OFFSET = /^(page)?(offset|skip|startat|start|startindex|from)$/;
const CURSOR =
  /^(page|next)?(cursor|iterator|token|marker|after)$|^(nextpagetoken|continuation(token)?|continue|scrollid|batchtoken|startkey)$/;

/** The likeliest first. */
const LAST_ROW = [
  'startingafter',
  'startafter',
  'after',
  'afterid',
  'afterkey',
  'lastid',
  'lastkey',
  'maxid',
  'sinceid',
];

/** Undefined where the operation does not answer with a list. */
export function pagedListOf(view: Viewer, operation: Operation): PagedList | undefined {
  const answer = listAnswerOf(view, operation);
  if (answer === undefined || operation.answer === undefined) return undefined;
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const envelope = view(operation.answer);
  const cursors = cursorsOf(view, query, namesWithin(view, envelope));
  const signs = pageSignsOf(view, envelope, answer, cursors);
  const hasLink = operation.headers.includes('link') || /\blink\b.{0,20}\bheader/i.test(operation.prose);
  const offset = query.find(({ name, schema }) => OFFSET.test(plainWord(name)) && isNumeric(view, schema));
  const paging = pagingOf(view, { query, cursors, offset, signs, hasLink });
  return { answer, signs, hasLink, offset, paging };
}

/** The words of an envelope, and of the objects in it. */
function namesWithin(view: Viewer, envelope: SchemaView): ReadonlySet<string> {
  const inner = [...envelope.properties.values()].flatMap((schema) => [...view(schema).properties.keys()]);
  return new Set([...envelope.properties.keys(), ...inner].map(plainWord));
}

/** Parameters that take a value of the previous response. Dates are excluded. */
function cursorsOf(
  view: Viewer,
  query: readonly Parameter[],
  answered: ReadonlySet<string>,
): readonly Parameter[] {
  return query.filter(({ name, schema }) => {
    const word = plainWord(name);
    const { kind, words } = view(schema);
    if (/^date/.test(String(words['format']))) return false;
    const isText = kind === 'string' || kind === 'any';
    if (CURSOR.test(word)) return isText || kind === 'integer';
    return isText && (OFFSET.test(word) || LAST_ROW.includes(word) || answered.has(`next${word}`));
  });
}

interface Evidence {
  readonly query: readonly Parameter[];
  readonly cursors: readonly Parameter[];
  readonly offset: Parameter | undefined;
  readonly signs: PageSigns;
  readonly hasLink: boolean;
}

function pagingOf(view: Viewer, { query, cursors, offset, signs, hasLink }: Evidence): Paging {
  const size = query.find(({ name, schema }) => SIZE.test(plainWord(name)) && isNumeric(view, schema));
  const declared = new Set(signs.values());
  const cursor = cursors.find(({ name }) => !LAST_ROW.includes(plainWord(name))) ?? cursors[0];
  const lastRow = LAST_ROW.flatMap((word) => query.filter(({ name }) => plainWord(name) === word)).find(
    ({ schema }) => {
      // Few keys are numbers: one that may be anything is not asked for where there is another way.
      const { kind, words } = view(schema);
      return !/^date/.test(String(words['format'])) && (kind === 'string' || !declared.has('next url'));
    },
  );
  const page = query.find(({ name }) => PAGE.test(plainWord(name)));
  if (declared.has('next cursor') && cursor !== undefined) return { kind: 'cursor', parameter: cursor, size };
  if (lastRow !== undefined) return { kind: 'last row', parameter: lastRow, size };
  // A page's number beside a token is for the client alone: the token leads on.
  if (page !== undefined && cursor === undefined) {
    return { kind: 'page', parameter: page, first: firstPage(view, page), size };
  }
  if (offset !== undefined) return { kind: 'offset', parameter: offset, size };
  if (cursor !== undefined) return { kind: 'cursor', parameter: cursor, size };
  if (declared.has('next url') || hasLink) return { kind: 'url', size };
  return size === undefined ? { kind: 'whole' } : { kind: 'size', size };
}

function isNumeric(view: Viewer, schema: Parameter['schema']): boolean {
  const { kind } = view(schema);
  return (
    kind === 'integer' || kind === 'number' || (kind === 'any' && view(schema).words['enum'] === undefined)
  );
}

/** Zero where the parameter's default, its minimum, its name or its description says so. */
function firstPage(view: Viewer, { name, schema, description }: Parameter): 0 | 1 {
  const { words } = view(schema);
  const declared = words['default'] ?? words['minimum'];
  if (declared !== undefined) return Number(declared) === 0 ? 0 : 1;
  const fromZero =
    /\b(zero|0)[- ]?(based|indexed)|\b(starts?|starting|begins?|beginning|first page)\b.{0,20}\b(0|zero)\b|\b0\.\.N\b/i;
  return fromZero.test(description) || plainWord(name).endsWith('index') ? 0 : 1;
}
