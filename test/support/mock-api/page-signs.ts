import type { Parameter } from './api-document.ts';
import { textAt } from './json.ts';
import type { ListAnswer } from './list-answer.ts';
import { plainWord } from './plain-word.ts';
import type { SchemaView, Viewer } from './schema-view.ts';

/** The meaning of a property beside a list for paging. */
export type PageSign =
  | 'next url'
  | 'next path'
  | 'previous url'
  | 'this url'
  | 'next cursor'
  | 'previous cursor'
  | 'next page'
  | 'next offset'
  | 'more'
  | 'last'
  | 'total'
  | 'pages'
  | 'page'
  | 'size'
  | 'offset'
  | 'returned';

/** The signs by the names that lead to them, joined by dots. */
export type PageSigns = ReadonlyMap<string, PageSign>;

/** Numbers that are the total in one envelope and the page's own in another. */
const COUNTS: ReadonlySet<string> = new Set(['count', 'resultcount', 'size']);

const DEPTH = 3;

/** Reads an envelope's signs. `cursors` are the parameters that a cursor may be given by. */
export function pageSignsOf(
  view: Viewer,
  envelope: SchemaView,
  list: ListAnswer,
  cursors: readonly Parameter[],
): PageSigns {
  const leaves = leavesOf(view, envelope, [], list);
  const signs = leaves.flatMap(({ place, leaf }) => {
    const sign = signOf(place, leaf, cursors);
    return sign === undefined ? [] : [[place.join('.'), sign] as const];
  });
  const found = new Map(signs);
  if (signs.some(([, sign]) => sign === 'total')) return found;
  const count = leaves.find(({ place }) => COUNTS.has(plainWord(place.at(-1) ?? '')));
  return count === undefined ? found : found.set(count.place.join('.'), 'total');
}

interface Leaf {
  readonly place: readonly string[];
  readonly leaf: SchemaView;
}

function leavesOf(
  view: Viewer,
  seen: SchemaView,
  place: readonly string[],
  list: ListAnswer,
): readonly Leaf[] {
  return [...seen.properties].flatMap(([name, schema]): readonly Leaf[] => {
    const leaf = view(schema);
    const here = [...place, name];
    if (here.join('.') === list.place.join('.') || leaf.kind === 'array') return [];
    if (leaf.kind !== 'object') return [{ place: here, leaf }];
    return here.length < DEPTH ? leavesOf(view, leaf, here, list) : [];
  });
}

function signOf(
  place: readonly string[],
  leaf: SchemaView,
  cursors: readonly Parameter[],
): PageSign | undefined {
  const name = plainWord(place.at(-1) ?? '');
  const within = plainWord(place.at(-2) ?? '');
  switch (leaf.kind) {
    case 'boolean':
      return booleanSign(name);
    case 'integer':
    case 'number':
      return cursors.some((cursor) => givesCursor(name, cursor)) ? 'next cursor' : numberSign(name);
    default:
      return textSign(name, within, leaf, cursors);
  }
}

function booleanSign(name: string): PageSign | undefined {
  if (/^(has)?more(pages|results|items|data|available)?$|^hasnext(page)?$|^(is)?truncated$/.test(name))
    return 'more';
  return /^((is)?last(page)?|(is)?(done|complete|finished))$/.test(name) ? 'last' : undefined;
}

function numberSign(name: string): PageSign | undefined {
  if (/^total(count|results?|items|records|elements|entries|rows|size|hits)?$|^recordcount$/.test(name))
    return 'total';
  if (/^(total|num|number)pages$|^pages?(count|total)$|^pages$|^lastpage$/.test(name)) return 'pages';
  if (/^(current)?page(number|index|no)?$|^number$/.test(name)) return 'page';
  if (/^(limit|(page)?size|perpage|maxresults|itemsperpage|pagelimit)$/.test(name)) return 'size';
  if (/^(offset|skip|startat|start|startindex)$/.test(name)) return 'offset';
  if (/^next(page)(number)?$/.test(name)) return 'next page';
  if (/^next(offset|start|startat|skip)$/.test(name)) return 'next offset';
  return /^(count|returned|numberofelements|resultcount)$/.test(name) ? 'returned' : undefined;
}

/** Objects that lead to other pages, by what is said of them. */
const LINK_OBJECTS = /^(links?|paging|pagination|meta|metadata|pages?)$/;

function textSign(
  name: string,
  within: string,
  leaf: SchemaView,
  cursors: readonly Parameter[],
): PageSign | undefined {
  const subject = /^(href|ur[il]|link)$/.test(name) ? within : name;
  const inNextPage = /^next(page)?$/.test(within);
  if (inNextPage && name === 'path') return 'next path';
  if (/^next/.test(subject) && textAt(leaf.words, 'format') === 'uri-reference') return 'next path';
  if (inNextPage && /^(offset|cursor|token|after|marker)$/.test(name)) return 'next cursor';
  if (name === 'before' && /^cursors?$/.test(within)) return 'previous cursor';
  if (/^(prev|previous)/.test(subject))
    return /cursor|iterator|token|marker/.test(subject) ? 'previous cursor' : 'previous url';
  if (cursors.some((cursor) => givesCursor(name, cursor)) && !isUrl(leaf)) return 'next cursor';
  if (/^(odata)?next(page)?(ur[il]|link|href)?$/.test(subject)) return nextTextSign(subject, leaf, cursors);
  if (
    /^(next(page)?(cursor|token|marker|key)|cursor|iterator|endcursor|continuation(token)?|continue)$/.test(
      name,
    )
  ) {
    return 'next cursor';
  }
  if (name === 'after' && /^cursors?$|^next$/.test(within)) return 'next cursor';
  const isLink = isUrl(leaf) || LINK_OBJECTS.test(within) || subject !== name;
  return isLink && /^(self|href|ur[il]|link|first(page)?(ur[il])?)$/.test(subject) ? 'this url' : undefined;
}

/** `next` of an API whose parameter is a cursor may be that, and is a URL elsewhere. */
function nextTextSign(name: string, leaf: SchemaView, cursors: readonly Parameter[]): PageSign {
  const saysUrl =
    isUrl(leaf) ||
    /ur[il]|link|href/.test(name) ||
    /\b(ur[il]|link)\b/i.test(textAt(leaf.words, 'description'));
  return saysUrl || cursors.length === 0 ? 'next url' : 'next cursor';
}

function isUrl({ words }: SchemaView): boolean {
  return /^(ur[il]|iri)(-reference)?$/.test(textAt(words, 'format'));
}

/** A property gives a parameter its next value where it has its name, with or without `next`. */
function givesCursor(property: string, parameter: Parameter): boolean {
  const name = plainWord(parameter.name);
  return property === name || property === `next${name}`;
}
