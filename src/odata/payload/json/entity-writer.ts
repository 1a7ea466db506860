import { type Row, TYPE, type Value } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { EntityContent, Expansion } from '../body/entity-content.ts';
import { linkWriters } from '../entity-links.ts';
import { keyPredicate } from '../entity-url.ts';
import { controlPrefix, typeReference } from './control-information.ts';
import type { JsonStyle } from './json-style.ts';
import {
  isPlain,
  type JsonObject,
  type MemberWriter,
  rewrite,
  writeMembers,
  writePresentMembers,
} from './member-writer.ts';
import { exactNumberWriter } from './number-writer.ts';
import { ValueWriters } from './value-writers.ts';

/** Makes of a row what JSON.stringify writes. `owner` is the URL of the entity that it is expanded in. */
type EntityWriter = (row: Row, owner?: string) => Row;

/** Finds the URL of an entity, relative to the service root; undefined where it has none. */
type UrlOf = (row: Row, owner?: string) => string | undefined;

/** Adds to the JSON of an entity, whose URL is given where it has one and it is needed. */
type PartWriter = (target: JsonObject, row: Row, url: string | undefined) => void;

/**
 * Compiles what makes of rows the objects that JSON.stringify writes (JSON Format, 6): control information
 * first, then the properties, then what is expanded.
 *
 * Undefined where rows are JSON-ready as they are.
 */
export function compileEntityWriter(
  style: JsonStyle,
  content: EntityContent,
): ((row: Row) => Row) | undefined {
  const write = new EntityWriters(style).of(content, content.canonical);
  return write && ((row) => write(row));
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

  /** Each entity is written by its own type's writer: its type may be derived from the declared one. */
  of(content: EntityContent, urlOf: UrlOf | undefined): EntityWriter | undefined {
    const { entityType } = content;
    const { model } = this.#style;
    const base = this.#writer(content, entityType, urlOf);
    if (!hasDerivedTypes(model, entityType)) return base;
    const derived = new Map<string, EntityWriter>();
    return (row, owner) => {
      const name = row[TYPE];
      if (name === undefined || name === entityType.name) return base === undefined ? row : base(row, owner);
      const type = model.entityTypes.get(name) ?? entityType;
      const write = derived.get(name) ?? this.#writer(content, type, urlOf) ?? asItIs;
      derived.set(name, write);
      return write(row, owner);
    };
  }

  #writer(content: EntityContent, type: EntityType, urlOf: UrlOf | undefined): EntityWriter | undefined {
    const members = this.#members(content, type);
    const header = this.#header(content, type, urlOf);
    const parts = [...this.#dynamic(content, type), ...this.#expansions(content, type)];
    const isWhole = content.exact && (content.counted ?? []).length === 0;
    if (isWhole && header === undefined && parts.length === 0 && members.every(isPlain)) {
      const changed = members.filter(({ write }) => write !== undefined);
      return changed.length === 0 ? undefined : (row) => rewrite(row, changed);
    }
    const write = content.partial === true ? writePresentMembers : writeMembers;
    const urlForParts = this.#showsId(content, urlOf) || parts.length > 0 ? urlOf : undefined;
    return (row, owner) => {
      const target: JsonObject = {};
      const url = urlForParts?.(row, owner);
      header?.(target, row, url);
      write(target, row, members);
      for (const writePart of parts) writePart(target, row, url);
      return target;
    };
  }

  /** Of the properties that are shown, those of the type. A key is never left out. */
  #members({ shown, computed }: EntityContent, type: EntityType): readonly MemberWriter[] {
    return shown.flatMap((name): readonly MemberWriter[] => {
      const use = computed.get(name);
      if (use !== undefined) return [this.#values.undeclared(name, use)];
      const property = type.structuralProperties.get(name);
      if (property === undefined) return [];
      const member = this.#values.declared(property);
      return [type.key.includes(name) ? { ...member, isOmitted: undefined } : member];
    });
  }

  /** Control information in the order that streaming demands (JSON Format, 4.4): type, id, ETag, links. */
  #header(content: EntityContent, type: EntityType, urlOf: UrlOf | undefined): PartWriter | undefined {
    const { format, model } = this.#style;
    if (format.metadata === 'none') return undefined;
    const isFull = format.metadata === 'full';
    const showsId = this.#showsId(content, urlOf);
    const writers = [
      ...(isFull || type !== content.entityType ? [this.#type(type)] : []),
      ...(showsId ? [this.#id()] : []),
      ...this.#etag(content),
    ];
    const links = isFull && urlOf !== undefined ? linkWriters(model, type, content, this.#prefix) : [];
    if (writers.length === 0 && links.length === 0) return undefined;
    return (target, row, url) => {
      for (const write of writers) write(target, row, url);
      if (url !== undefined) for (const write of links) write(target, row, url);
    };
  }

  /**
   * JSON Format, 4.5.8: an entity whose key is not shown, or that has no place, is not named by its context;
   * 4.01 need not say of a transient entity that it has no place, and values that are no entities have none.
   */
  #showsId({ entityType, shown }: EntityContent, urlOf: UrlOf | undefined): boolean {
    const { format, model, version } = this.#style;
    if (!model.entityTypes.has(entityType.name)) return false;
    if (format.metadata !== 'minimal') return format.metadata === 'full';
    if (urlOf === undefined) return version === '4.0';
    return !entityType.key.every((name) => shown.includes(name));
  }

  #type({ name }: EntityType): PartWriter {
    const { model, version } = this.#style;
    const kind = model.entityTypes.has(name) ? 'entity' : 'complex';
    const reference = typeReference(model, { type: { kind, name }, collection: false }, version);
    const member = `${this.#prefix}type`;
    return (target) => {
      target[member] = reference;
    };
  }

  /** Null for a transient entity. */
  #id(): PartWriter {
    const member = `${this.#prefix}id`;
    return (target, _, url) => {
      target[member] = url ?? null;
    };
  }

  #etag({ etag }: EntityContent): readonly PartWriter[] {
    if (etag === undefined) return [];
    const member = `${this.#prefix}etag`;
    const write: PartWriter = (target, row) => {
      const tag = etag(row);
      if (tag !== undefined) target[member] = tag;
    };
    return [write];
  }

  #dynamic({ dynamic, computed, expanded }: EntityContent, type: EntityType): readonly PartWriter[] {
    if (dynamic !== true || !type.open) return [];
    const isKnown = (name: string) =>
      type.structuralProperties.has(name) ||
      computed.has(name) ||
      expanded?.has(name) === true ||
      name.includes('@');
    return [(target, row) => this.#values.writeDynamic(target, row, isKnown)];
  }

  #expansions({ expanded }: EntityContent, type: EntityType): readonly PartWriter[] {
    return [...(expanded ?? [])].map(([name, expansion]) => this.#expansion(type, name, expansion));
  }

  #expansion(owner: EntityType, name: string, expansion: Expansion): PartWriter {
    const write = this.#expandedWriter(expansion, urlOfRelated(owner, name, expansion));
    const { control, collection, countOnly } = expansion;
    const writeCount = exactNumberWriter(this.#style.format);
    return (target, row, url) => {
      const { count, nextLink } = control?.(row) ?? {};
      if (count !== undefined) target[`${name}${this.#prefix}count`] = writeCount(count);
      if (countOnly === true || row[name] === undefined) return;
      target[name] = writeRelated(row[name] ?? null, collection, (related) => write(related, url));
      if (nextLink !== undefined) target[`${name}${this.#prefix}nextLink`] = nextLink;
    };
  }

  #expandedWriter(expansion: Expansion, urlOf: UrlOf | undefined): EntityWriter {
    if (expansion.referencesOnly !== true) return this.of(expansion, urlOf) ?? asItIs;
    const member = `${this.#prefix}id`;
    return (row, owner) => ({ [member]: urlOf?.(row, owner) ?? null });
  }
}

function asItIs(row: Row): Row {
  return row;
}

function writeRelated(value: Value, collection: boolean, write: (row: Row) => Row): Value {
  if (collection) return ((value ?? []) as readonly Row[]).map(write);
  return value === null ? null : write(value as Row);
}

/** Contained entities have their URLs below their owner's (Part 2, 4.3.2). */
function urlOfRelated(owner: EntityType, name: string, expansion: Expansion): UrlOf | undefined {
  const { canonical, collection, entityType, partial } = expansion;
  if (canonical !== undefined || partial === true) return canonical;
  if (owner.navigationProperties.get(name)?.containsTarget !== true) return undefined;
  return (row, ownerUrl) => {
    const key = collection ? keyPredicate(entityType, row) : '';
    return ownerUrl === undefined ? undefined : `${ownerUrl}/${name}${key}`;
  };
}

function hasDerivedTypes({ entityTypes }: Model, { name }: EntityType): boolean {
  return [...entityTypes.values()].some(({ baseType }) => baseType === name);
}
