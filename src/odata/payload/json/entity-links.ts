import type { Row } from '../../../contract/row.ts';
import { type Callable, type EntityType, isA, type StreamOperations } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { EntityContent } from './entity-content.ts';
import type { JsonObject } from './value-writers.ts';

/** Writes control information of entities. */
export interface LinkWriter {
  /** All members in order, with undefined values, because entities may lack some. */
  readonly template: Readonly<JsonObject>;
  /** `url` is that of the entity, relative to the service root. */
  readonly write: (target: JsonObject, row: Row, url: string) => void;
}

/**
 * The links in full metadata for entities of a type (JSON Format, 4.5.9 to 4.5.12, 15 to 17), within the
 * visible model.
 */
export function linkWriters(
  model: Model,
  type: EntityType,
  content: EntityContent,
  prefix: string,
): readonly LinkWriter[] {
  const { links, places } = content;
  const isShown = (name: string) => links?.includes(name) !== false;
  const streams = [...(type.streams ?? [])].filter(([name]) => isShown(name) || links?.includes('*'));
  const navigation = [...type.navigationProperties.keys()].filter(isShown);
  return [
    ownLink(type, content, prefix),
    ...(type.stream === undefined ? [] : [streamLinks(type.stream, '', '/$value', prefix)]),
    ...streams.map(([name, stream]) => streamLinks(stream, name, `/${name}`, prefix)),
    ...navigation.map((name) => navigationLinks(name, prefix)),
    ...boundCallables(model, type, places, 'entity')
      .filter((callable) => isOffered(content, callable))
      .map(advertisement),
  ];
}

/** The edit link of a derived type ends with a type cast (Part 1, 11.4.1.2 and JSON Format, 4.5.9). */
function ownLink(type: EntityType, { entityType, editable }: EntityContent, prefix: string): LinkWriter {
  const cast = type.name === entityType.name ? '' : `/${type.namespace}.${type.name}`;
  const name = `${prefix}${editable === true ? 'editLink' : 'readLink'}`;
  const write: LinkWriter['write'] = (target, _, url) => {
    target[name] = url + cast;
  };
  return { template: { [name]: undefined }, write };
}

function streamLinks(
  { get, put, contentType, etag }: StreamOperations,
  property: string,
  path: string,
  prefix: string,
): LinkWriter {
  const start = `${property}${prefix}`;
  const readLink = `${start}mediaReadLink`;
  const editLink = `${start}mediaEditLink`;
  const tagName = `${start}mediaEtag`;
  const typeName = `${start}mediaContentType`;
  const write: LinkWriter['write'] = (target, row, url) => {
    if (get !== undefined) target[readLink] = url + path;
    if (put !== undefined) target[editLink] = url + path;
    const tag = etag === undefined ? undefined : row[etag];
    if (tag !== undefined && tag !== null) target[tagName] = quotedTag(String(tag));
    const mediaType = contentType === undefined ? undefined : row[contentType];
    if (typeof mediaType === 'string') target[typeName] = mediaType;
  };
  const names = [readLink, editLink, tagName, typeName];
  return { template: Object.fromEntries(names.map((name) => [name, undefined])), write };
}

/** Adds quotes, which RFC 9110, 8.8.3 requires. */
function quotedTag(tag: string): string {
  return /^(?:W\/)?"[^"]*"$/.test(tag) ? tag : `"${encodeURIComponent(tag)}"`;
}

function navigationLinks(name: string, prefix: string): LinkWriter {
  const navigationLink = `${name}${prefix}navigationLink`;
  const associationLink = `${name}${prefix}associationLink`;
  const write: LinkWriter['write'] = (target, _, url) => {
    const link = `${url}/${name}`;
    target[associationLink] = `${link}/$ref`;
    target[navigationLink] = link;
  };
  return { template: { [associationLink]: undefined, [navigationLink]: undefined }, write };
}

/** The operations bound to a collection with this URL, relative to the service root. */
export function collectionOperations(
  model: Model,
  type: EntityType,
  { path, url }: { readonly path: string; readonly url: string },
): JsonObject {
  const operations: JsonObject = {};
  for (const callable of boundCallables(model, type, [path], 'collection')) {
    advertisement(callable).write(operations, {}, url);
  }
  return operations;
}

function boundCallables(
  model: Model,
  type: EntityType,
  places: readonly string[] | undefined,
  bound: 'entity' | 'collection',
): readonly Callable[] {
  return model.callables.filter(
    ({ binding, calls }) =>
      binding !== undefined &&
      binding.collection === (bound === 'collection') &&
      isA(type, binding.entityType) &&
      calls.some(({ resource }) => resource === undefined || places?.includes(resource) !== false),
  );
}

function isOffered({ operations }: EntityContent, { namespace, name }: Callable): boolean {
  return operations?.some((each) => each === `${namespace}.${name}` || each === `${namespace}.*`) !== false;
}

/** The target of a function contains its parameters as aliases, which identify the overload. */
function advertisement({ kind, namespace, name, description, parameters }: Callable): LinkWriter {
  const qualified = `${namespace}.${name}`;
  const names = kind === 'function' ? parameters.map((parameter) => parameter.name) : [];
  const call =
    kind === 'function' ? `(${names.map((parameter) => `${parameter}=@${parameter}`).join(',')})` : '';
  const member = `#${qualified}${names.length === 0 ? '' : `(${names.join(',')})`}`;
  const title = description ?? name;
  const end = `/${qualified}${call}`;
  const write: LinkWriter['write'] = (target, _, url) => {
    target[member] = { title, target: url + end };
  };
  return { template: { [member]: undefined }, write };
}
