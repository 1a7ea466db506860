import { type Row, TYPE, type Value } from '../../contract/entity-source.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import { controlPrefix, typeReference } from './control-information.ts';
import type { EntityContent, Expansion } from './entity-content.ts';
import { type LinkWriter, linkWriters } from './entity-links.ts';
import type { JsonStyle } from './json-style.ts';
import { isPlain, type JsonObject, type MemberWriter, rewrite, writeMembers } from './member-writer.ts';
import { ValueWriters } from './value-writers.ts';

type EntityWriter = (row: Row) => Row;

/**
 * Compiles what makes of rows the objects that JSON.stringify writes (JSON Format, 6): control information
 * first, then the properties, then what is expanded.
 *
 * Undefined where rows are JSON-ready as they are.
 */
export function compileEntityWriter(style: JsonStyle, content: EntityContent): EntityWriter | undefined {
  return new EntityWriters(style).of(content);
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
  of(content: EntityContent): EntityWriter | undefined {
    const { entityType } = content;
    const base = this.#writer(content, entityType);
    if (!hasDerivedTypes(this.#style.model, entityType)) return base;
    const derived = new Map<string, EntityWriter>();
    return (row) => {
      const name = row[TYPE];
      if (name === undefined || name === entityType.name) return base === undefined ? row : base(row);
      const writer = derived.get(name) ?? this.#derivedWriter(content, name);
      derived.set(name, writer);
      return writer(row);
    };
  }

  #derivedWriter(content: EntityContent, name: string): EntityWriter {
    const type = this.#style.model.entityTypes.get(name) ?? content.entityType;
    return this.#writer(content, type) ?? ((row) => row);
  }

  #writer(content: EntityContent, type: EntityType): EntityWriter | undefined {
    const members = this.#members(content, type);
    const header = this.#header(content, type);
    const expansions = [...(content.expanded ?? [])].map((entry) => this.#expansion(...entry));
    const isDynamic = content.dynamic === true && type.open;
    if (
      content.exact &&
      header === undefined &&
      expansions.length === 0 &&
      !isDynamic &&
      members.every(isPlain)
    ) {
      const changed = members.filter(({ write }) => write !== undefined);
      return changed.length === 0 ? undefined : (row) => rewrite(row, changed);
    }
    const isKnown = (name: string) =>
      type.structuralProperties.has(name) ||
      content.computed.has(name) ||
      content.expanded?.has(name) === true;
    return (row) => {
      const target: JsonObject = {};
      header?.(target, row);
      writeMembers(target, row, members);
      if (isDynamic) this.#values.writeDynamic(target, row, isKnown);
      for (const write of expansions) write(target, row);
      return target;
    };
  }

  #members({ shown, computed }: EntityContent, type: EntityType): readonly MemberWriter[] {
    return shown.flatMap((name) => {
      const computedType = computed.get(name);
      if (computedType !== undefined) {
        return this.#values.undeclared(name, {
          type: { kind: 'primitive', name: computedType },
          collection: false,
        });
      }
      const property = type.structuralProperties.get(name);
      return property === undefined ? [] : this.#member(name, type);
    });
  }

  /** A key is never left out. */
  #member(name: string, type: EntityType): readonly MemberWriter[] {
    const property = type.structuralProperties.get(name);
    if (property === undefined) return [];
    const member = this.#values.declared(property);
    return [type.key.includes(name) ? { ...member, isOmitted: undefined } : member];
  }

  /** The control information in the order that streaming demands (JSON Format, 4.4): type, id, ETag, links. */
  #header(content: EntityContent, type: EntityType): ((target: JsonObject, row: Row) => void) | undefined {
    const { metadata } = this.#style.format;
    if (metadata === 'none') return undefined;
    const { canonical, etag } = content;
    const typeName = metadata === 'full' || type !== content.entityType ? this.#reference(type) : undefined;
    const showsId = metadata === 'full' || needsId(content);
    if (typeName === undefined && !showsId && etag === undefined) return undefined;
    const links = metadata === 'full' && canonical !== undefined ? this.#links(content, type) : [];
    return (target, row) => {
      const url = showsId ? (canonical?.(row) ?? null) : null;
      if (typeName !== undefined) target[`${this.#prefix}type`] = typeName;
      if (showsId) target[`${this.#prefix}id`] = url;
      const tag = etag?.(row);
      if (tag !== undefined) target[`${this.#prefix}etag`] = tag;
      if (url !== null) for (const write of links) write(target, row, url);
    };
  }

  #reference({ name }: EntityType): string {
    const { model, version } = this.#style;
    return typeReference(model, { type: { kind: 'entity', name }, collection: false }, version);
  }

  #links(content: EntityContent, type: EntityType): readonly LinkWriter[] {
    return linkWriters(this.#style.model, type, content, this.#prefix);
  }

  #expansion(name: string, expansion: Expansion): (target: JsonObject, row: Row) => void {
    const write = this.of(expansion) ?? ((row) => row);
    const control = this.#style;
    return (target, row) => {
      const value = row[name] ?? null;
      const { count, nextLink } = expansion.control?.(row) ?? NOTHING;
      if (count !== undefined)
        target[`${name}${this.#prefix}count`] = control.format.ieee754Compatible ? String(count) : count;
      target[name] = expansion.collection
        ? ((value ?? []) as readonly Row[]).map(write)
        : writeSingle(write, value);
      if (nextLink !== undefined) target[`${name}${this.#prefix}nextLink`] = nextLink;
    };
  }
}

const NOTHING = { count: undefined, nextLink: undefined };

function writeSingle(write: EntityWriter, value: Value): Value {
  return value === null ? null : write(value as Row);
}

/** JSON Format, 4.5.8: an entity whose key is not shown, or that has no place, is not named by its context. */
function needsId({ canonical, entityType, shown }: EntityContent): boolean {
  return canonical === undefined || !entityType.key.every((name) => shown.includes(name));
}

function hasDerivedTypes({ entityTypes }: Model, { name }: EntityType): boolean {
  return [...entityTypes.values()].some(({ baseType }) => baseType === name);
}
