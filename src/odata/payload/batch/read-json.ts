import { jsonTokens } from '../../../engine/input/duplicate-names.ts';
import { describe, type InputObject, isInputObject, quote } from '../../../engine/input/mistakes.ts';
import { decodeBody, parseObject } from '../body/body-json.ts';
import { MEDIA_TYPES, parseMediaRange } from '../negotiation/format.ts';
import {
  assertFewRequests,
  type BatchItem,
  type BatchRequest,
  malformedBatch,
  readMethod,
} from './batch-request.ts';

/** The requests of a batch in the JSON form (JSON Format, 19.1). */
export function readJsonBatch(body: Uint8Array | undefined, most: number): readonly BatchItem[] {
  const text = decodeBody(body, false);
  const { requests } = parseObject(text);
  if (!Array.isArray(requests)) throw malformedBatch('requests', 'an array', found(requests));
  assertFewRequests(requests.length, most);
  const bodies = bodyTexts(text);
  const members = requests.map((json, index) => readMember(json, bodies.get(index), `requests[${index}]`));
  checkIds(members);
  return toItems(members);
}

interface Member {
  readonly request: BatchRequest & { readonly id: string };
  readonly group: string | undefined;
}

function readMember(json: unknown, bodyText: string | undefined, place: string): Member {
  if (!isInputObject(json)) throw malformedBatch(place, 'an object', found(json));
  const id = readName(json['id'], `${place}/id`);
  const headers = readHeaders(json['headers'], place);
  const groupName = json['atomicityGroup'];
  const group = groupName === undefined ? undefined : readName(groupName, `${place}/atomicityGroup`);
  const body = readBody(json['body'], bodyText, headers['content-type'], place);
  const request = {
    id,
    method: readMethod(textOf(json, 'method', place), place),
    url: textOf(json, 'url', place),
    headers: body === undefined ? headers : { 'content-type': MEDIA_TYPES.json, ...headers },
    body,
    dependsOn: readDependencies(json['dependsOn'], place),
    condition: json['if'] === undefined ? undefined : textOf(json, 'if', place),
    place,
  };
  return { request, group };
}

/** Ids, methods and header fields stand in lines of their own in the multipart form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\x00-\x1f\x7f]/;

function textOf(json: InputObject, name: string, place: string): string {
  return readText(json[name], `${place}/${name}`);
}

function readText(value: unknown, place: string): string {
  if (typeof value !== 'string') throw malformedBatch(place, 'a string', found(value));
  if (value !== '' && !CONTROL.test(value)) return value;
  const expected = value === '' ? 'text that is not empty' : 'text without control characters';
  throw malformedBatch(place, expected, quote(JSON.stringify(value).slice(1, -1)));
}

/** What a request or a group is called; clients count them, too. */
function readName(value: unknown, place: string): string {
  return typeof value === 'number' ? String(value) : readText(value, place);
}

function readHeaders(json: unknown, place: string): Readonly<Record<string, string>> {
  if (json === undefined || json === null) return {};
  if (!isInputObject(json)) throw malformedBatch(`${place}/headers`, 'an object', found(json));
  const fields = Object.keys(json).map((name) => {
    const value = json[name] === '' ? '' : textOf(json, name, `${place}/headers`);
    return [name.toLowerCase(), value.trim()] as const;
  });
  return Object.fromEntries(fields);
}

function readDependencies(json: unknown, place: string): readonly string[] {
  if (json === undefined || json === null) return [];
  if (!Array.isArray(json)) throw malformedBatch(`${place}/dependsOn`, 'an array of strings', found(json));
  return json.map((id, index) => readName(id, `${place}/dependsOn/${index}`));
}

/**
 * JSON is itself, text of another kind a string, and everything else a string of base64url. A string under a
 * JSON type that is no JSON text by itself would be none of them.
 */
function readBody(
  json: unknown,
  text: string | undefined,
  contentType: string | undefined,
  place: string,
): Uint8Array | undefined {
  if (json === undefined || json === null || text === undefined) return undefined;
  const { type } = parseMediaRange(contentType ?? MEDIA_TYPES.json);
  if (type === MEDIA_TYPES.json || type.endsWith('+json')) return Buffer.from(text);
  if (typeof json !== 'string') throw malformedBatch(`${place}/body`, 'a string', found(json));
  return Buffer.from(json, type.startsWith('text/') ? 'utf8' : 'base64url');
}

function found(json: unknown): string {
  return json === undefined ? 'nothing' : describe(json);
}

/** Each id and each group has a name of its own, and a request depends on what is in front of it (19.1). */
function checkIds(members: readonly Member[]): void {
  const groups = new Set(members.map(({ group }) => group));
  const before = new Set<string>();
  for (const { request, group } of members) {
    const { id, dependsOn, place } = request;
    if (before.has(id) || groups.has(id)) throw malformedBatch(`${place}/id`, 'an id of its own', quote(id));
    const unknown = dependsOn.find((name) => !before.has(name) || name === group);
    if (unknown !== undefined) {
      throw malformedBatch(`${place}/dependsOn`, 'requests in front of this one', quote(unknown));
    }
    before.add(id);
    if (group !== undefined) before.add(group);
  }
}

/** The requests of a group are next to each other (19.1). */
function toItems(members: readonly Member[]): readonly BatchItem[] {
  const items: BatchItem[] = [];
  const groups = new Map<string, BatchRequest[]>();
  let open: string | undefined;
  for (const { request, group } of members) {
    if (group === undefined) items.push({ kind: 'request', request });
    else if (group === open) groups.get(group)?.push(request);
    else if (groups.has(group)) {
      throw malformedBatch(`${request.place}/atomicityGroup`, 'its requests side by side', quote(group));
    } else {
      const requests = [request];
      groups.set(group, requests);
      items.push({ kind: 'changeSet', id: group, requests });
    }
    open = group;
  }
  return items;
}

/**
 * The texts of the member `body` of each object in the array `requests`, by its place in there: a body goes on
 * as it was written, with all its digits. The text is well-formed JSON.
 */
function bodyTexts(text: string): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  /** The name of the member that is open, by depth. */
  const names: string[] = [];
  let depth = 0;
  let index = -1;
  let word = '';
  let start: number | undefined;
  for (const { text: token, at } of jsonTokens(text)) {
    const isWithin = depth === REQUEST && names[LIST] === 'requests';
    if (token === '{' || token === '[') {
      depth += 1;
      if (depth === REQUEST) index += 1;
    } else if (token === ':') {
      names[depth] = JSON.parse(word);
      if (depth === LIST && names[LIST] === 'requests') {
        // Of members with the same name, the last one counts.
        index = -1;
      }
      if (isWithin && names[REQUEST] === 'body') start = at + 1;
    } else if (token.startsWith('"')) {
      word = token;
    } else {
      if (isWithin && start !== undefined) texts.set(index, text.slice(start, at).trim());
      if (isWithin) start = undefined;
      if (token !== ',') depth -= 1;
    }
  }
  return texts;
}

/** How deep the member `requests`, and how deep the members of a request are. */
const LIST = 1;
const REQUEST = 3;
