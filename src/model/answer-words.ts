import { englishNames } from './foreign-words.ts';
import { foldedName } from './names.ts';

/** The meaning of a response property for paging, by its name. */
export type PageWord =
  /** The URL of the next page, or what to ask for it by. */
  | { readonly kind: 'next'; readonly rank: NextRank }
  /** A flag for a next page. */
  | { readonly kind: 'more' }
  /** A flag for the last page. */
  | { readonly kind: 'last' }
  /** The total number of items. `sure` is false if the number may be that of the page's items. */
  | { readonly kind: 'total'; readonly sure: boolean }
  /** The number of all pages. */
  | { readonly kind: 'pages' }
  /** The number of this page. */
  | { readonly kind: 'page' };

/**
 * The order of precedence: a cursor in an object named next, a URL, a property that may be either, a cursor.
 * `weak` properties may also refer to the current page.
 */
export type NextRank = 'cursorOfNext' | 'url' | 'either' | 'cursor' | 'weak';

export const NEXT_RANKS: readonly NextRank[] = ['cursorOfNext', 'url', 'either', 'cursor', 'weak'];

const URL_WORD =
  /^(?:odata)?next(?:page|set|records?|results?|batch)?(?:url|uri|link|href)$|^next(?:results|set)$/;
const EITHER_WORD = /^next(?:page)?$/;
const CURSOR_WORD =
  /^next(?:page)?(?:token|cursor|marker|offset|start|startat|key|id|skiptoken|bookmark|position|streamposition|cursormark|batchtoken|after|number)$|^next(?:start|continuation|pagination|resumption)(?:token|cursor)$|^(?:continuation|pagination|resumption)token$|^(?:continuation|continue|endcursor|aftercursor|scrollid|lastevaluatedkey|skiptoken)$/;
const WEAK_WORD = /^(?:cursor|iterator|marker|bookmark|pagetoken|batchtoken|lastid)$/;

const MORE_WORD =
  /^(?:hasmore|more|hasnext|moreavailable|istruncated|truncated|hasadditional)(?:pages?|items|results|records|data|available|exists?)?$/;
const LAST_WORD = /^(?:islast|lastpage|last|islastpage|done|finished|iscomplete)$/;

const TOTAL_WORD =
  /^(?:total|odatacount|numfound|fullcount|overallcount|absolutetotal)$|^total(?:number|num)?(?:of)?(?:count|items|results?|records?|rows|elements|hits|entries|entities|size|objects|matches|available|resultcount|itemcount|recordcount|rowcount)$|^(?:items|results?|records?|rows|entries|elements)total$/;
const COUNT_WORD = /^(?:count|found|(?:record|result|item|row)s?count|hits|matches)$/;
const PAGES_WORD =
  /^(?:pages|pagecount|numpages|numberofpages|lastpagenumber|maxpage|total(?:num|number)?(?:of)?pages?|totalpagecount|pagestotal|pagetotal)$/;
const PAGE_WORD = /^(?:page|currentpage|pagenumber|pageno|pagenum|pageindex)$/;

/** An object within an answer that may say something of its pages. */
const CONTAINER =
  /^(?:meta|metadata|pagination|paginationinfo|paginationmeta|paging|pager|pageinfo|pageable|page|links?|cursors?|next|nextpage|responsemetadata|responseinfo|collection|collectioninfo|listinfo|resultinfo|resultset|info|data|result|response)$/;

export function isPageContainer(name: string): boolean {
  return englishNames(name).some((each) => CONTAINER.test(each));
}

/** Whether the object at a place holds the list of an answer, however deep. */
export function isAround(list: readonly string[], place: readonly string[]): boolean {
  return place.length < list.length && place.every((name, index) => name === list[index]);
}

/** The paging meaning of a path in a response; undefined without one. */
export function pageWord(path: readonly string[]): PageWord | undefined {
  const [leaves = [''], owners = ['']] = path.slice(-2).toReversed().map(englishNames);
  for (const leaf of leaves)
    for (const within of path.length === 1 ? [''] : owners) {
      const word = wordAt(path.length, within, leaf);
      if (word !== undefined) return word;
    }
  return undefined;
}

function wordAt(depth: number, within: string, leaf: string): PageWord | undefined {
  if (depth === 1) return wordOf(leaf);
  // The others of several links lead elsewhere.
  if (/^links?$/.test(within)) return leaf === 'next' ? { kind: 'next', rank: 'url' } : undefined;
  return wordWithin(within, leaf) ?? wordOf(leaf);
}

/** The meaning of a member by the name of its object. */
function wordWithin(container: string, leaf: string): PageWord | undefined {
  if (/^next(?:page)?$/.test(container)) return wordOfNext(leaf);
  if (/^(?:cursors?|pag(?:e|ing|ination|einfo)|meta(?:data)?)$/.test(container) && leaf === 'after')
    return { kind: 'next', rank: container.startsWith('cursor') ? 'cursor' : 'weak' };
  if (/^pag(?:e|eable|ination|ing)$/.test(container) && leaf === 'number') return { kind: 'page' };
  return undefined;
}

function wordOfNext(leaf: string): PageWord | undefined {
  if (/^(?:href|link|url|uri)$/.test(leaf)) return { kind: 'next', rank: 'url' };
  if (/^(?:offset|cursor|token|marker|after|startingafter|page|pagenumber|start)$/.test(leaf))
    return { kind: 'next', rank: 'cursorOfNext' };
  return undefined;
}

function wordOf(leaf: string): PageWord | undefined {
  if (URL_WORD.test(leaf)) return { kind: 'next', rank: 'url' };
  if (EITHER_WORD.test(leaf)) return { kind: 'next', rank: 'either' };
  if (CURSOR_WORD.test(leaf)) return { kind: 'next', rank: 'cursor' };
  if (WEAK_WORD.test(leaf)) return { kind: 'next', rank: 'weak' };
  if (MORE_WORD.test(leaf)) return { kind: 'more' };
  if (LAST_WORD.test(leaf)) return { kind: 'last' };
  if (TOTAL_WORD.test(leaf)) return { kind: 'total', sure: true };
  if (COUNT_WORD.test(leaf)) return { kind: 'total', sure: false };
  if (PAGES_WORD.test(leaf)) return { kind: 'pages' };
  return PAGE_WORD.test(leaf) ? { kind: 'page' } : undefined;
}

/** Names that lists have in envelopes, the commonest first. */
export const LIST_NAMES = [
  ...['data', 'items', 'results', 'result', 'value', 'values', 'entries', 'records'],
  ...['elements', 'entities', 'objects', 'rows', 'resources', 'list'],
];

/** Names of objects that hold what an answer is about. */
const HOLDERS = /^(?:embedded|data|results?|response|payload|body)$/;

export function isHolder(name: string): boolean {
  return englishNames(name).some((each) => HOLDERS.test(each));
}

const ABOUT_PAGES =
  /total|count|page|paging|pagination|limit|offset|size|next|prev|cursor|more|links|meta|self|skip|top|marker|first|last|start|max|order|sort|filter|query|href|^url$|^uri$/;

const ABOUT_ANSWERS =
  /status|code|message|success|error|warning|request|time|version|included|facets|schema|expand|^ok$|^object$|^type$|^kind$|^etag$/;

/** Whether a property is about the response and not about the data, by its name. */
export function isAboutAnswer(name: string): boolean {
  return englishNames(name).some((each) => ABOUT_PAGES.test(each)) || ABOUT_ANSWERS.test(foldedName(name));
}
