/** A link of a Link header field (RFC 8288, 3). */
interface Link {
  readonly target: string;
  readonly relations: readonly string[];
}

/** What a Link header field says of the next page, as far as it can be read; undefined where it says nothing of pages. */
export type LinkedPage =
  | { readonly kind: 'next'; readonly target: string }
  | { readonly kind: 'last' | 'unreadable' };

export function linkedPage(field: string): LinkedPage | undefined {
  const { links, rest } = parseLinks(field);
  const next = links.find(({ relations }) => relations.includes('next'));
  if (next !== undefined) return { kind: 'next', target: next.target };
  if (NEXT.test(rest)) return { kind: 'unreadable' };
  const isOfPages = links.some(({ relations }) => relations.some((relation) => OF_PAGES.has(relation)));
  return isOfPages ? { kind: 'last' } : undefined;
}

/** A mistake may hide where the list goes on. */
const NEXT = /\brel\s*=[\s"']*(?:[\w-]+\s+)*next\b/i;

const OF_PAGES: ReadonlySet<string> = new Set(['prev', 'previous', 'first', 'last']);

/** RFC 8288, 3: `link-value`, its target in angle brackets; then its parameters. */
const TARGET = /[\s,]*<([^<>]*)>/y;
const PARAMETER = /\s*;\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/y;

/** As far as the field is well-formed: what comes behind a mistake is not read. */
function parseLinks(field: string): { readonly links: readonly Link[]; readonly rest: string } {
  const links: Link[] = [];
  for (let place = 0; ; ) {
    TARGET.lastIndex = place;
    const target = TARGET.exec(field)?.[1];
    if (target === undefined) return { links, rest: field.slice(place) };
    const parameters = new Map<string, string>();
    place = readParameters(field, TARGET.lastIndex, parameters);
    // A link with an anchor leads on from something else than what was asked for (3.2).
    if (!parameters.has('anchor')) links.push({ target, relations: relationsOf(parameters.get('rel')) });
    const rest = /^\s*(?:,|$)/.exec(field.slice(place, place + 100));
    if (rest === null) return { links, rest: field.slice(place) };
  }
}

/** Reads them into the map, and says where they end. Of two with one name, the first counts (3.3). */
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
