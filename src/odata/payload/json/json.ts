import type { RequestBudget } from '../../../contract/request-budget.ts';
import { exactNumberWriter, type Row, TYPE, type Value } from '../../../contract/row.ts';
import type { Work } from '../../../core/work.ts';
import { entityUrl } from '../../../engine/resource/navigation-source.ts';
import { type EntityType, isTransient, type StructuredType, typeNamed } from '../../../model/edm.ts';
import { madeOnce } from '../../../model/maps.ts';
import type { Model } from '../../../model/model.ts';
import { controlPrefix } from '../negotiation/format.ts';
import type { CollectionControl, EntityContent, Expansion, WithinContent } from './entity-content.ts';
import { type LinkWriter, linkWriters } from './entity-links.ts';
import { streamWriter } from './inline-stream.ts';
import {
  addItems,
  JsonItems,
  type JsonText,
  type PortionWriter,
  writeJson,
  writtenPortions,
} from './json-text.ts';
import {
  compileMembers,
  isNull,
  isPlain,
  type JsonObject,
  type JsonStyle,
  type MemberWriter,
  memberTemplate,
  rewrite,
  templateOf,
  typeReference,
  ValueWriters,
} from './value-writers.ts';

/**
 * The format and content of the entities in a response.
 *
 * Reuse a shape for all responses to the same query in the same format, because its writer is compiled on
 * first use.
 */
export interface EntityShape extends EntityContent, JsonStyle {
  readonly contextUrl: string;
}

/** A collection of entities (JSON Format, 12): context, count, entities. */
export function writeCollection(
  shape: EntityShape,
  rows: readonly Row[],
  control: CollectionControl,
  budget: RequestBudget,
): Work<JsonText> {
  return writeItems(shape, shape.contextUrl, entityValues(shape, rows), control, budget);
}

/** The entities as JSON objects without a context. */
function entityValues(shape: EntityShape, rows: readonly Row[]): JsonItems<Row> {
  return new JsonItems(rows, entityWriter(shape), shape.expanded !== undefined);
}

/** Creates the function that converts an entity to its JSON object, without a context. */
export function entityWriter(shape: EntityShape): (row: Row) => Row {
  return madeOnce(COMPILED, shape, () => compileEntityWriter(shape, shape));
}

const COMPILED = new WeakMap<EntityShape, (row: Row) => Row>();

export function writeEntity(shape: EntityShape, row: Row, budget: RequestBudget): Work<JsonText> {
  const { format, version, contextUrl } = shape;
  const context = format.metadata === 'none' ? {} : { [`${controlPrefix(version)}context`]: contextUrl };
  return writeJson({ ...context, ...entityWriter(shape)(row) }, budget);
}

/** Returns the writer of a collection of entities that come in portions, without links to other pages. */
export function collectionInPortions(
  shape: EntityShape,
  control: Omit<CollectionControl, 'nextLink' | 'deltaLink'>,
): PortionWriter {
  const before = JSON.stringify(membersBefore(shape, shape.contextUrl, control));
  return (portions, budget) =>
    writtenPortions(portions, budget, {
      head: `${before === '{}' ? '{' : `${before.slice(0, -1)},`}"value":`,
      tail: (isEmpty) => (isEmpty ? '[]}' : ']}'),
      write: (rows, pieces, isFirst) => addItems(entityValues(shape, rows), pieces, isFirst ? '[' : ','),
    });
}

/** An array with its control information. */
export function writeItems(
  style: Pick<JsonStyle, 'format' | 'version'>,
  contextUrl: string,
  items: JsonItems<Row> | JsonItems,
  control: CollectionControl,
  budget: RequestBudget,
): Work<JsonText> {
  const prefix = controlPrefix(style.version);
  const members = {
    ...membersBefore(style, contextUrl, control),
    value: items,
    [`${prefix}nextLink`]: control.nextLink,
    [`${prefix}deltaLink`]: control.deltaLink,
  };
  return writeJson(members, budget);
}

/** The members of a collection in front of its items (JSON Format, 4.4). */
function membersBefore(
  { format: { metadata, ieee754Compatible }, version }: Pick<JsonStyle, 'format' | 'version'>,
  contextUrl: string,
  { type, count, operations }: CollectionControl,
): JsonObject {
  const prefix = controlPrefix(version);
  return {
    ...(metadata !== 'none' && { [`${prefix}context`]: contextUrl }),
    [`${prefix}type`]: type,
    // An Edm.Int64, which is a string for IEEE754Compatible clients (JSON Format, 3.2).
    [`${prefix}count`]: ieee754Compatible && count !== undefined ? String(count) : count,
    ...(metadata === 'full' && operations),
  };
}

/** Converts a row to the value for JSON.stringify. `owner` is the URL of the entity that contains it. */
type EntityWriter = (row: Row, owner?: string) => Row;

/** Writes a part of an entity's JSON. */
interface PartWriter {
  /** The members in order: constants, and undefined for the others. */
  readonly template: Readonly<JsonObject>;
  /** Sets the other members. `url` is that of the entity if it has one and it is needed. */
  readonly write?: (target: JsonObject, row: Row, url: string | undefined) => void;
}

/**
 * Compiles the conversion of rows to JSON objects (JSON Format, 6): control information, properties, expanded
 * entities. Rows that need no conversion are returned unchanged.
 */
export function compileEntityWriter(style: JsonStyle, content: EntityContent): (row: Row) => Row {
  const urlOf = urlOfKeyed(content.entityType, content.canonical);
  const write = new EntityWriters(style).of(content, urlOf);
  return (row) => write(row);
}

class EntityWriters {
  readonly #style: JsonStyle;
  readonly #values: ValueWriters;
  readonly #prefix: string;

  constructor(style: JsonStyle) {
    this.#style = style;
    this.#values = new ValueWriters(style);
    this.#prefix = controlPrefix(style.version);
  }

  /** Selects the writer by the entity's own type, which may be derived from the declared one. */
  of(content: EntityContent, urlOf: UrlOf | undefined): EntityWriter {
    const { entityType } = content;
    const base = this.#ofAnyKey(content, entityType, urlOf);
    if (entityType.derived.length === 0) return base;
    const derived = new Map<string, EntityWriter>();
    return (row, owner) => {
      const name = row[TYPE];
      if (name === undefined || name === entityType.name) return base(row, owner);
      const type = typeNamed(entityType, name) ?? entityType;
      return madeOnce(derived, name, () => this.#ofAnyKey(content, type, urlOf))(row, owner);
    };
  }

  /**
   * An entity with null in its key is transient (JSON Format, 4.5.8): it is written without that key
   * property, which cannot be null (CSDL 4.01, 6.5), and without a URL.
   */
  #ofAnyKey(content: EntityContent, type: EntityType, urlOf: UrlOf | undefined): EntityWriter {
    const keyed = this.#writer(content, type, urlOf);
    const optional = type.key.filter((name) => {
      const { sometimesNull, required } = type.structuralProperties.get(name) ?? {};
      return content.shown.includes(name) && (sometimesNull === true || required !== true);
    });
    if (optional.length === 0 || !this.#style.model.entityTypes.has(type.name)) return keyed;
    let transient: EntityWriter | undefined;
    return (row, owner) => {
      if (!optional.some((name) => row[name] === null)) return keyed(row, owner);
      transient ??= this.#writer(content, type, () => undefined, true);
      return transient(row, owner);
    };
  }

  #writer(
    content: EntityContent,
    type: EntityType,
    urlOf: UrlOf | undefined,
    isTransient = false,
  ): EntityWriter {
    const members = this.#members(content, type, isTransient);
    const header = this.#header(content, type, urlOf, isTransient);
    const parts = [
      ...this.#dynamic(content, type),
      ...this.#streams(content),
      ...this.#expansions(content, type),
      ...this.#expansionsWithin(content, type, (name) => content.shown.includes(name)),
    ];
    const isWhole = content.exact && (content.counted ?? []).length === 0;
    if (isWhole && header.length === 0 && parts.length === 0 && members.every(isPlain)) {
      const changed = members.filter(({ write }) => write !== undefined);
      return changed.length === 0 ? asItIs : (row) => rewrite(row, changed);
    }
    const write = compileMembers(members, content.partial === true ? 'partial' : 'complete');
    const urlForParts = this.#showsId(content, urlOf) || parts.length > 0 ? urlOf : undefined;
    const templates = [...header, { template: memberTemplate(members) }, ...parts];
    const template = templateOf(
      Object.assign(Object.create(null), ...templates.map((part) => part.template)),
    );
    const before = header.flatMap((part) => part.write ?? []);
    const after = parts.flatMap((part) => part.write ?? []);
    return (row, owner) => {
      const target: JsonObject = { ...template };
      const url = urlForParts?.(row, owner);
      for (const writePart of before) writePart(target, row, url);
      write(target, row);
      for (const writePart of after) writePart(target, row, url);
      return target as Row;
    };
  }

  /** The shown properties of the type. A key property is omitted if, and only if, it is null. */
  #members(
    { shown, computed }: EntityContent,
    type: EntityType,
    isTransient: boolean,
  ): readonly MemberWriter[] {
    return shown.flatMap((name): readonly MemberWriter[] => {
      const use = computed.get(name);
      if (use !== undefined) return [this.#values.undeclared(name, use)];
      const property = type.structuralProperties.get(name);
      if (property === undefined) return [];
      const member = this.#values.declared(property);
      const isOmitted = isTransient ? isNull : undefined;
      return [type.key.includes(name) ? { ...member, isOmitted } : member];
    });
  }

  /** Control information in the order required for streaming (JSON Format, 4.4): type, id, ETag, links. */
  #header(
    content: EntityContent,
    type: EntityType,
    urlOf: UrlOf | undefined,
    isTransient: boolean,
  ): readonly PartWriter[] {
    const { format, model, told = model } = this.#style;
    if (format.metadata === 'none') return isOfRows(content) ? [this.#id()] : [];
    const isFull = format.metadata === 'full';
    const isNamed = isOfModel(model, type);
    const showsId = isTransient || this.#showsId(content, urlOf);
    const known = isNamed ? (told.entityTypes.get(type.name) ?? type) : type;
    const links = isFull && urlOf !== undefined ? linkWriters(told, known, content, this.#prefix) : [];
    return [
      ...((isFull && isNamed) || type !== content.entityType ? [this.#type(type)] : []),
      ...(showsId ? [this.#id()] : []),
      ...this.#etag(content),
      ...links.map(ofEntityWithUrl),
    ];
  }

  /**
   * JSON Format, 4.5.8: entities whose key is not shown, or without a URL, need an explicit id; 4.01 may omit
   * it for transient results of queries, and other values have none. Entities of a transient type always have it: clients
   * would make a URL of their key otherwise.
   */
  #showsId({ entityType, shown }: EntityContent, urlOf: UrlOf | undefined): boolean {
    const { format, model, version } = this.#style;
    if (!model.entityTypes.has(entityType.name)) return false;
    if (isTransient(entityType)) return true;
    if (format.metadata !== 'minimal') return format.metadata === 'full';
    if (urlOf === undefined) return version === '4.0';
    return !entityType.key.every((name) => isShown(entityType, name, shown));
  }

  #type(type: EntityType): PartWriter {
    const { version } = this.#style;
    const reference = typeReference({ type, collection: false }, version);
    return { template: { [`${this.#prefix}type`]: reference } };
  }

  /** Null for a transient entity. */
  #id(): PartWriter {
    const member = `${this.#prefix}id`;
    const write: PartWriter['write'] = (target, _, url) => {
      target[member] = url ?? null;
    };
    return { template: { [member]: undefined }, write };
  }

  #etag({ etag }: EntityContent): readonly PartWriter[] {
    if (etag === undefined) return [];
    const member = `${this.#prefix}etag`;
    const write: PartWriter['write'] = (target, row) => {
      const tag = etag(row);
      if (tag !== undefined) target[member] = tag;
    };
    return [{ template: { [member]: undefined }, write }];
  }

  #dynamic({ dynamic, computed, expanded, streams }: EntityContent, type: EntityType): readonly PartWriter[] {
    if (dynamic !== true || !type.open) return [];
    const isKnown = (name: string) =>
      type.structuralProperties.has(name) ||
      type.navigationProperties.has(name) ||
      computed.has(name) ||
      expanded?.has(name) === true ||
      streams?.includes(name) === true ||
      name.includes('@');
    const write: PartWriter['write'] = (target, row) => this.#values.writeDynamic(target, row, isKnown);
    return [{ template: {}, write }];
  }

  #streams({ streams = [] }: EntityContent): readonly PartWriter[] {
    const prefix = this.#style.format.metadata === 'none' ? undefined : this.#prefix;
    return streams.map((name) => streamWriter(name, prefix));
  }

  #expansions({ expanded }: WithinContent, type: StructuredType): readonly PartWriter[] {
    return [...(expanded ?? [])].map(([name, expansion]) => this.#expansion(type, name, expansion));
  }

  /** Complex values with expanded content are written again, with that content. */
  #expansionsWithin(
    { within }: WithinContent,
    type: StructuredType,
    isShown: (name: string) => boolean,
  ): readonly PartWriter[] {
    return [...(within ?? [])].flatMap(([name, content]) => {
      const property = type.structuralProperties.get(name);
      if (property?.type.kind !== 'complex') return [];
      const complex = property.type;
      const isWhole = isShown(name);
      const declared = isWhole ? this.#values.of(property) : undefined;
      const parts = [
        ...this.#expansions(content, complex),
        ...this.#expansionsWithin(content, complex, () => isWhole),
      ];
      const write: PartWriter['write'] = (target, row) => {
        const value = row[name] ?? null;
        target[name] = withParts(value, value === null ? null : declared?.(value), parts);
      };
      return [{ template: { [name]: undefined }, write }];
    });
  }

  #expansion(owner: StructuredType, name: string, expansion: Expansion): PartWriter {
    const writeEntity = this.#expandedWriter(
      expansion,
      urlOfKeyed(expansion.entityType, urlOfRelated(owner, name, expansion)),
    );
    const { control, collection, countOnly } = expansion;
    const isDeep = expansion.expanded !== undefined;
    const writeCount = exactNumberWriter(this.#style.format);
    const countName = `${name}${this.#prefix}count`;
    const nextLinkName = `${name}${this.#prefix}nextLink`;
    const write: PartWriter['write'] = (target, row, url) => {
      const { count, nextLink } = control?.(row) ?? {};
      if (count !== undefined) target[countName] = writeCount(count);
      if (countOnly === true || row[name] === undefined) return;
      const writeRelated = (related: Row): Row => writeEntity(related, url);
      target[name] = collection
        ? new JsonItems((row[name] ?? []) as readonly Row[], writeRelated, isDeep)
        : writeSingle((row[name] ?? null) as Row | null, writeRelated);
      if (nextLink !== undefined) target[nextLinkName] = nextLink;
    };
    return { template: { [countName]: undefined, [name]: undefined, [nextLinkName]: undefined }, write };
  }

  #expandedWriter(expansion: Expansion, urlOf: UrlOf | undefined): EntityWriter {
    if (expansion.referencesOnly !== true) return this.of(expansion, urlOf);
    const member = `${this.#prefix}id`;
    return (row, owner) => ({ [member]: urlOf?.(row, owner) ?? null });
  }
}

/** Adds the expanded content to a complex value, or to each of several. */
function withParts(value: Value, written: Value | undefined, parts: readonly PartWriter[]): Value {
  if (Array.isArray(value)) {
    const items = Array.isArray(written) ? written : [];
    return value.map((item, index) => withParts(item, items[index], parts));
  }
  if (typeof value !== 'object' || value === null) return value;
  const target: JsonObject = { ...(written as JsonObject | undefined) };
  for (const { write } of parts) write?.(target, value as Row, undefined);
  return target as Value;
}

/** A key property with an alias is shown through the property that contains it. */
function isShown({ structuralProperties }: EntityType, name: string, shown: readonly string[]): boolean {
  const [holder = name] = structuralProperties.get(name)?.aliasOf ?? [];
  return shown.includes(holder);
}

function ofEntityWithUrl({ template, write }: LinkWriter): PartWriter {
  return {
    template,
    write: (target, row, url) => {
      if (url !== undefined) write(target, row, url);
    },
  };
}

function asItIs(row: Row): Row {
  return row;
}

function writeSingle(related: Row | null, write: (row: Row) => Row): Row | null {
  return related === null ? null : write(related);
}

/** Combinations of entities have no named type. */
function isOfModel({ entityTypes, complexTypes }: Model, { name }: EntityType): boolean {
  return entityTypes.has(name) || complexTypes.has(name);
}

/**
 * Returns the URL of an entity relative to the service root, if it has one. `owner` is the URL of the
 * containing entity.
 */
type UrlOf = (row: Row, owner?: string) => string | undefined;

/** Whether entities have keys that are made of their values (Part 1, 4.1: transient). */
function isOfRows({ entityType, partial }: Pick<EntityContent, 'entityType' | 'partial'>): boolean {
  return partial !== true && isTransient(entityType);
}

/** URLs of contained entities start with their owner's (Part 2, 4.3.2). */
function urlOfRelated(owner: StructuredType, name: string, expansion: Expansion): UrlOf | undefined {
  const { canonical, collection, entityType, partial } = expansion;
  if (canonical !== undefined || partial === true) return canonical;
  const isContained = owner.navigationProperties.get(name)?.containsTarget === true;
  if (!isContained || isTransient(entityType)) return undefined;
  const below = collection ? entityUrl(`/${name}`, entityType) : () => `/${name}`;
  return (row, ownerUrl) => (ownerUrl === undefined ? undefined : ownerUrl + below(row));
}

/** Undefined for entities without a key value (JSON Format, 4.5.8). */
function urlOfKeyed({ key, structuralProperties }: EntityType, urlOf: UrlOf | undefined): UrlOf | undefined {
  const sometimesNull = key.filter((name) => {
    const { sometimesNull = false, aliasOf } = structuralProperties.get(name) ?? {};
    return sometimesNull || aliasOf !== undefined;
  });
  if (urlOf === undefined || sometimesNull.length === 0) return urlOf;
  return (row, owner) =>
    sometimesNull.every((name) => (row[name] ?? null) !== null) ? urlOf(row, owner) : undefined;
}
