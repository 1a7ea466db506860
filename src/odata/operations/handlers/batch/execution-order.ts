import { isObject } from '../../../../core/json-object.ts';
import { type BatchRequest, referencedId } from '../../../payload/batch/batch-request.ts';

/**
 * The execution order of a change set, which is free (Part 1, 11.7.4): deletes come last, because they cannot
 * be undone if a later request fails. Requests that depend on each other or concern the same entity keep
 * their order.
 */
export function executionOrder(requests: readonly BatchRequest[]): readonly BatchRequest[] {
  const late: BatchRequest[] = [];
  for (const request of requests) {
    if (isDelete(request) || late.some((earlier) => mustFollow(request, earlier))) late.push(request);
  }
  const isLast = (request: BatchRequest, index: number): boolean =>
    isDelete(request) && !late.slice(index + 1).some((later) => mustFollow(later, request));
  const last = late.filter(isLast);
  return [
    ...requests.filter((request) => !late.includes(request)),
    ...late.filter((request) => !last.includes(request)),
    ...last,
  ];
}

function isDelete({ method }: BatchRequest): boolean {
  return method === 'DELETE';
}

function mustFollow(request: BatchRequest, earlier: BatchRequest): boolean {
  return isReference(request, earlier) || isOfSameEntity(request, earlier);
}

function isReference({ url, body, dependsOn }: BatchRequest, { id }: BatchRequest): boolean {
  if (id === undefined) return false;
  return dependsOn.includes(id) || referencedId(url) === id || textOf(body).includes(`"$${id}`);
}

/** Whether one is about an entity that is, or holds, or is held by, that of the other, or about a new one with its key. */
function isOfSameEntity(request: BatchRequest, earlier: BatchRequest): boolean {
  const [one, other] = [pathOf(request.url), pathOf(earlier.url)];
  if (one === other && request.method !== 'POST') return true;
  if (one.startsWith(`${other}/`) || other.startsWith(`${one}/`)) return true;
  const [name, key] = lastSegment(other);
  const [ownName, ownKey] = lastSegment(one);
  if (name !== ownName) return false;
  if (ownKey === undefined) return key !== undefined && hasKey(request.body, key);
  return key === undefined ? hasKey(earlier.body, ownKey) : ownKey === key;
}

/** The name and key of the last segment: `Order` and `1` of `Order(Id=1)`. */
function lastSegment(path: string): readonly [name: string, key: string | undefined] {
  const [, name = '', key] = /([^/()]*)(?:\(([^()]*)\))?$/.exec(path) ?? [];
  const values = key?.split(',').map((part) => part.trim().replace(/^\w+=/, ''));
  return [name, values?.map((value) => value.replace(/^'(.*)'$/s, '$1')).join()];
}

/** Whether the new entity contains each value of the key. */
function hasKey(body: Uint8Array | undefined, key: string): boolean {
  const sent = parsed(body);
  const values = isObject(sent) ? Object.values(sent).map(String) : [];
  return key.split(',').every((value) => values.includes(value));
}

function parsed(body: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(textOf(body));
  } catch {
    return undefined;
  }
}

/** The decoded path. */
function pathOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '').replace(/\/$/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function textOf(body: Uint8Array | undefined): string {
  return body === undefined ? '' : Buffer.from(body).toString();
}
