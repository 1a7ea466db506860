import { badResponse } from '../../exchange/upstream-failure.ts';
import type { PagingStrategy } from '../paging-strategy.ts';
import { nextTarget } from './next-url.ts';

/** The Link header field (RFC 8288): its `next` relation leads on, other relations of pages without it end the list. */
export const linkHeader: PagingStrategy = {
  find({ place }, { headers, sent }) {
    const field = headers?.['link'];
    if (field === undefined) return undefined;
    const { links, rest } = parseLinks(field);
    const next = links.find(({ relations }) => relations.includes('next'));
    if (next !== undefined)
      return { kind: 'page', position: { kind: 'target', target: nextTarget(place, next.target, sent) } };
    if (NEXT.test(rest)) throw badResponse('the link to the next page cannot be read');
    const isOfPages = links.some(({ relations }) => relations.some((relation) => OF_PAGES.has(relation)));
    return isOfPages ? { kind: 'last' } : undefined;
  },
};

/** A link of a Link header field (RFC 8288, 3). */
interface Link {
  readonly target: string;
  readonly relations: readonly string[];
}

/** A relation to the next page, behind a syntax error. */
const NEXT = /\brel\s*=[\s"']*(?:[\w-]+\s+)*next\b/i;

const OF_PAGES: ReadonlySet<string> = new Set(['prev', 'previous', 'first', 'last']);

/** RFC 8288, 3: `link-value`, its target in angle brackets; then its parameters. */
const TARGET = /[\s,]*<([^<>]*)>/y;
const PARAMETER = /\s*;\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/y;

/** Parses the links of a field up to its first syntax error. */
function parseLinks(field: string): { readonly links: readonly Link[]; readonly rest: string } {
  const links: Link[] = [];
  for (let place = 0; ; ) {
    TARGET.lastIndex = place;
    const target = TARGET.exec(field)?.[1];
    if (target === undefined) return { links, rest: field.slice(place) };
    const parameters = new Map<string, string>();
    place = readParameters(field, TARGET.lastIndex, parameters);
    // A link with an anchor leads on from another resource than the requested one (3.2).
    if (!parameters.has('anchor')) links.push({ target, relations: relationsOf(parameters.get('rel')) });
    const rest = /^\s*(?:,|$)/.exec(field.slice(place, place + 100));
    if (rest === null) return { links, rest: field.slice(place) };
  }
}

/** Reads parameters into the map and returns where they end. The first of a name counts (3.3). */
function readParameters(field: string, begin: number, parameters: Map<string, string>): number {
  let place = begin;
  for (;;) {
    PARAMETER.lastIndex = place;
    const found = PARAMETER.exec(field);
    if (found === null) return place;
    place = PARAMETER.lastIndex;
    const [, name = '', quoted, token = ''] = found;
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token;
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
}

function relationsOf(rel = ''): readonly string[] {
  return rel.toLowerCase().split(/\s+/);
}
