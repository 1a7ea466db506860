import type { Operation } from './api-document.ts';
import type { JsonObject } from './json.ts';
import { plainWord } from './plain-word.ts';
import type { SchemaView, Viewer } from './schema-view.ts';

/** The path of the list in a response. */
export interface ListAnswer {
  /** Names of properties that lead to it; none where the answer is the list. */
  readonly place: readonly string[];
  readonly items: JsonObject;
}

/** Names of a list that is what its answer is about, the likeliest first. */
const LIST_NAMES = ['data', 'items', 'results', 'result', 'value', 'values', 'entries', 'records', 'content'];

/** Lists that are not what an answer is about. */
const ASIDES = new Set(['errors', 'warnings', 'links', 'included', 'messages', 'ids']);

/** Objects that the list may lie in. */
const WRAPPERS = new Set(['data', 'result', 'response', 'embedded']);

/** Words in names of properties about paging. */
const PAGING_WORD =
  /^(chunk|count|current|cursor|embedded|end|estimated|expand|first|from|has|href|is|last|limit|link|marker|max|meta|more|next|number|object|offset|page|paging|pagination|per|prev|query|self|size|skip|start|status|success|sync|title|to|total|type|until|uri|url)/;

const PAGING_OBJECT = /(cursor|embedded|link|meta|metadata|next|page|paging|pagination|query|response)s?$/;

/** The list that an operation answers with; undefined where it answers with something else. */
export function listAnswerOf(view: Viewer, { path, answer }: Operation): ListAnswer | undefined {
  if (answer === undefined) return undefined;
  const seen = view(answer);
  if (seen.kind === 'array') return seen.items && { place: [], items: seen.items };
  return listWithin(view, seen, path, []);
}

function listWithin(
  view: Viewer,
  seen: SchemaView,
  path: string,
  place: readonly string[],
): ListAnswer | undefined {
  const segment = lastLiteral(path);
  const lists = [...seen.properties].flatMap(([name, schema]) => {
    const { kind, items } = view(schema);
    const word = plainWord(name);
    const counts = kind === 'array' && (word === segment || !ASIDES.has(word));
    return counts && items !== undefined ? [{ name, word, items }] : [];
  });
  const named = [...LIST_NAMES, segment].flatMap((name) => lists.filter(({ word }) => word === name));
  const ofObjects = lists.filter(({ items }) => view(items).kind === 'object');
  const list = named[0] ?? (ofObjects.length === 1 ? ofObjects[0] : undefined);
  if (list === undefined) return place.length < 2 ? listDeeper(view, seen, path, place) : undefined;
  // A path that ends with a name returns that resource, unless all other members are about paging.
  const isNamed = named.length > 0 && !path.replace(/\/$/, '').endsWith('}');
  if (!isNamed && !isEnvelope(view, seen)) return undefined;
  return { place: [...place, list.name], items: list.items };
}

function listDeeper(
  view: Viewer,
  seen: SchemaView,
  path: string,
  place: readonly string[],
): ListAnswer | undefined {
  for (const [name, schema] of seen.properties) {
    const inner = view(schema);
    if (inner.kind !== 'object' || !WRAPPERS.has(plainWord(name))) continue;
    const found = listWithin(view, inner, path, [...place, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An object with columns of its own beside a list is no envelope. */
function isEnvelope(view: Viewer, seen: SchemaView): boolean {
  return [...seen.properties].every(([name, schema]) => {
    const { kind } = view(schema);
    if (kind === 'array') return true;
    return (kind === 'object' ? PAGING_OBJECT : PAGING_WORD).test(plainWord(name));
  });
}

/** `orders` of `/v1/{location_id}/orders.json/`. */
function lastLiteral(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'));
  return plainWord((segments.at(-1) ?? '').replace(/\.json$/, ''));
}
