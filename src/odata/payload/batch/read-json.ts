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

/**
 * Ids, methods and header fields must not contain line breaks, because the multipart form writes them in
 * lines.
 */
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

/** The name of a request or a group; numbers are accepted, too. */
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
 * A JSON body is a value, a text body a string, and any other body a base64url string. Some clients write a
 * JSON body as a string, which must contain JSON.
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

/** Ids and group names must be unique, and dependencies must refer to earlier requests (19.1). */
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

/** Groups adjacent requests of the same atomicity group (19.1). */
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
 * The source texts of the `body` members in the array `requests`, by index, so that bodies are forwarded with
 * all digits. The text must be well-formed JSON.
 */
function bodyTexts(text: string): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  /** The names of the open members, by depth. */
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
        // Of duplicate members, the last one counts.
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

/** The depths of the member `requests` and of the members of a request. */
const LIST = 1;
const REQUEST = 3;
