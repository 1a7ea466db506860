import { member, text } from '../../../openapi/document/document-node.ts';
import { jsonTypes, keyword } from '../../../openapi/schemas/schema.ts';
import { styleless } from '../../names.ts';
import type { PagesTold } from '../../paging.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import type { DocumentParameter } from '../operations/document-parameter.ts';

/** What parameters of a list are for, where they are about its pages. */
export interface PageParameters {
  readonly size: DocumentParameter | undefined;
  readonly page: DocumentParameter | undefined;
  readonly offset: DocumentParameter | undefined;
  readonly cursor: DocumentParameter | undefined;
  readonly lastKey: DocumentParameter | undefined;
}

type Role = keyof PageParameters;

/** The words that mean it, without regard to style: `page[size]`, `pageSize` and `page_size` are one. */
interface RoleWords {
  readonly type: 'number' | 'text';
  /** They mean nothing else. */
  readonly sure: RegExp;
  /** They may as well mean a property that is filtered by; the likeliest first. */
  readonly likely: readonly string[];
}

const ROLES: Readonly<Record<Role, RoleWords>> = {
  size: {
    type: 'number',
    sure: /^(?:limit|page(?:size|limit|length|len)|perpage|maxpagesize|max(?:results?|items|records|keys|rows|count|size)|(?:results?|items|records|rows|entries|limit)perpage|num(?:ber)?(?:of)?(?:results|items|records|rows)|(?:result|record|item|row)(?:limit|count)|batchsize|pagesizelimit|limitresults)$/,
    likely: ['size', 'top', 'take', 'count', 'rows', 'max', 'first', 'num', 'amount', 'length', 'n'],
  },
  page: {
    type: 'number',
    sure: /^(?:page|page(?:number|no|num|index)|currentpage|pagepage)$/,
    likely: ['p', 'pg', 'pageid'],
  },
  offset: {
    type: 'number',
    sure: /^(?:offset|skip|start(?:at|index|position|row|record|item|offset|from)|(?:page|result|record|item|row|list)(?:offset|start|skip)|firstresult|skipcount|offsetindex)$/,
    likely: ['start', 'from', 'begin', 'position', 'index'],
  },
  cursor: {
    type: 'text',
    sure: /^(?:cursor|marker|bookmark|next(?:token|cursor|marker|page|pagetoken|pagecursor|key)|page(?:token|cursor|marker|after|bookmark|key)|(?:pagination|paging|continuation|resume|resumption|starting|start)(?:token|cursor|key)|continuation|continue|scrollid|skiptoken|batchtoken|(?:start|end|after)cursor|cursorafter|cursormark|streamposition|exclusivestartkey)$/,
    likely: [
      'after',
      'offset',
      'next',
      'token',
      'page',
      'position',
      'from',
      'start',
      'skip',
      'startat',
      'pageid',
    ],
  },
  lastKey: {
    type: 'text',
    sure: /^(?:startingafter|startafter|afterid|maxid|lastid|lastkey|lastseenid|idafter|afterkey|pageafterid)$/,
    likely: ['after'],
  },
};

/** Whether a required parameter is the gateway's to give, because it chooses a page or how large it is. */
export function isGivenByPages({ name, in: place }: DocumentParameter): boolean {
  const word = styleless(name);
  return place === 'query' && GIVEN.some((role) => ROLES[role].sure.test(word));
}

/** Of the first page, nobody knows a cursor. */
const GIVEN: readonly Role[] = ['size', 'page', 'offset'];

const ORDER: readonly Role[] = ['size', 'page', 'offset', 'lastKey', 'cursor'];

/** A key that is called no more than `after` is that only where an answer says whether there is more, and not where. */
function likelyRoles({ next, more }: PagesTold): readonly Role[] {
  return more && !next ? ORDER : ORDER.filter((role) => role !== 'lastKey');
}

/** What a document says of a parameter that is about pages. */
const ABOUT_PAGES =
  /\bpages?\b|\bpagina|\blimits?\b|\bmax(?:imum)?\b|\bnumber of (?:results|items|records|rows|entries|elements|objects)|\boffset\b|\bcursor\b/i;

/**
 * What the query parameters of an operation are for. Where its answers tell of pages, words that may mean something else
 * mean that.
 */
export function pageParameters(
  derivation: Derivation,
  { parameters }: DocumentOperation,
  tells: PagesTold,
): PageParameters {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const isPaged = tells.next || tells.more || tells.total;
  const sure = rolesOf(derivation, inQuery, ORDER, ({ sure: words }) => [(word) => words.test(word)]);
  const isLikely = (parameter: DocumentParameter): boolean =>
    isPaged || Object.values(sure).some((found) => found !== undefined) || isSaidToBe(parameter);
  const likely = rolesOf(derivation, inQuery.filter(isLikely), likelyRoles(tells), ({ likely: words }) =>
    words.map((likelyWord) => (word) => word === likelyWord),
  );
  const taken = new Set(Object.values(sure));
  const found = (role: Role): DocumentParameter | undefined => {
    const other = likely[role];
    if (sure[role] !== undefined || other === undefined || taken.has(other)) return sure[role];
    taken.add(other);
    return other;
  };
  const [size, page, offset, lastKey, cursor] = ORDER.map(found);
  return { size, page, offset, lastKey, cursor };
}

type Found = Readonly<Partial<Record<Role, DocumentParameter>>>;

/** The first parameter that the first of the tests accepts which accepts any. */
function rolesOf(
  derivation: Derivation,
  parameters: readonly DocumentParameter[],
  roles: readonly Role[],
  testsOf: (role: RoleWords) => readonly ((word: string) => boolean)[],
): Found {
  return Object.fromEntries(
    roles.flatMap((role) => {
      const { type } = ROLES[role];
      const fitting = parameters.filter((parameter) => isOfType(derivation, parameter, type));
      const found = testsOf(ROLES[role])
        .map((test) => fitting.find(({ name }) => test(styleless(name))))
        .find((parameter) => parameter !== undefined);
      return found === undefined ? [] : [[role, found] as const];
    }),
  );
}

/** What has no type may have any. A number may be a cursor; a text is neither a size nor a number of a page. */
function isOfType({ read }: Derivation, { schema }: DocumentParameter, type: RoleWords['type']): boolean {
  const found = schema && read(schema);
  const types = found === undefined ? [] : jsonTypes(found);
  const isTime =
    found !== undefined && /^(?:date|date-time|time)$/.test(text(keyword(found, 'format')) ?? '');
  const allowed = type === 'number' ? ['integer', 'number'] : ['string', 'integer'];
  return !isTime && (types.length === 0 || types.some((each) => allowed.includes(each)));
}

function isSaidToBe({ node }: DocumentParameter): boolean {
  return ABOUT_PAGES.test(text(member(node, 'description')) ?? '');
}
