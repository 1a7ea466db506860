import { meshName } from '../../model/mesh-name.ts';
import { type DocumentNode, isTrue } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import {
  componentName,
  isArraySchema,
  isObjectSchema,
  keyword,
  ownSchema,
  requiredNames,
  restNode,
  type Schema,
  type SchemaReader,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import { schemaReader } from '../../openapi/schemas/schema-reader.ts';
import {
  anySchema,
  commonScalar,
  isAny,
  isEnum,
  type PreparedSchema,
  scalarSchema,
  scalarType,
} from './scalar-schema.ts';

/**
 * Rewrites the schemas of a document for Mesh, which needs few details: the model decodes responses and
 * encodes bodies. Only parameters are written by Mesh, in the style of their schemas.
 *
 * References refer to components of the result, `allOf` is merged, nullability follows from what is required,
 * and types that GraphQL lacks are JSON scalars.
 */
export class SchemaNormalizer {
  readonly #read: SchemaReader;
  readonly #names = new Set<string>();
  readonly #components = new Map<string, PreparedSchema>();
  /** The names of the components by their origin. */
  readonly #known = new Map<string, string>();

  constructor(source: DocumentSource) {
    this.#read = schemaReader(source);
  }

  /** The schema of a request body, which is not validated because the gateway sends it itself. */
  body(node: DocumentNode): PreparedSchema | undefined {
    return this.#shown(node) && anySchema();
  }

  /** The schema of a parameter; nested objects may have any values. `suggested` names its type. */
  parameter(node: DocumentNode, suggested: string): PreparedSchema | undefined {
    return this.#sent(node, suggested, (schema, name) => this.#object(schema, name));
  }

  /**
   * The schema of a response, which distinguishes only lists, objects and scalars; undefined, with a finding,
   * if the response is missing or not exposed.
   */
  answer(node: DocumentNode): PreparedSchema | undefined {
    const schema = this.#shown(node);
    if (schema === undefined) return undefined;
    if (isArraySchema(schema)) return this.#listOf(schema, (items) => this.answer(items));
    const scalar = scalarType(schema) ?? commonScalar(schema, this.#read);
    if (scalar !== undefined) return scalarSchema(schema, scalar, false);
    return this.#hasObjects(schema) ? referenceTo(this.#anyObject()) : anySchema();
  }

  /** The components that the prepared schemas refer to. */
  components(): Readonly<Record<string, PreparedSchema>> {
    return Object.fromEntries(this.#components);
  }

  #shown(node: DocumentNode): Schema | undefined {
    const schema = this.#read(node);
    return schema?.hidden === true ? undefined : schema;
  }

  /** The schema of a value that Mesh writes; `record` converts an object with known properties. */
  #sent(
    node: DocumentNode,
    suggested: string,
    record: (schema: Schema, name: string) => PreparedSchema,
  ): PreparedSchema | undefined {
    const schema = this.#shown(node);
    if (schema === undefined) return undefined;
    if (isArraySchema(schema)) return this.#listOf(schema, (items) => this.#sent(items, suggested, record));
    if (isRecord(schema)) return record(schema, suggested);
    if (isEnum(schema)) return this.#enumeration(schema, node, suggested);
    const type = scalarType(schema) ?? commonScalar(schema, this.#read);
    return type === undefined ? anySchema() : scalarSchema(schema, type);
  }

  #object(schema: Schema, suggested: string): PreparedSchema {
    const name = this.#nameFor(suggested);
    const required = requiredNames(schema);
    const properties = new Map<string, PreparedSchema>();
    const alwaysThere: string[] = [];
    for (const property of namedProperties(this.#read, schema)) {
      const prepared = this.#sent(property.node, `${name}_${property.name}`, anySchema);
      if (prepared === undefined) continue;
      properties.set(property.name, prepared);
      const isAlwaysThere = required.has(property.name) && !mayBeNull(property.schema, this.#read);
      if (isAlwaysThere && !isAny(prepared)) alwaysThere.push(property.name);
    }
    if (properties.size === 0) return anySchema();
    return {
      title: name,
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(alwaysThere.length === 0 ? {} : { required: alwaysThere }),
    };
  }

  /** The values inline, or a reference to their component. */
  #enumeration(schema: Schema, { pointer }: DocumentNode, suggested: string): PreparedSchema {
    const type = scalarType(schema) ?? 'string';
    if (schema.identity === pointer)
      return { title: this.#nameFor(suggested), ...scalarSchema(schema, type) };
    // Parameters with the same type may have different defaults.
    const { default: _, ...shared } = scalarSchema(ownSchema(schema), type);
    const suggestedName = componentName(schema) ?? suggested;
    return referenceTo(this.#component(schema.identity, suggestedName, (title) => ({ title, ...shared })));
  }

  /** The name of the component for arbitrary objects. */
  #anyObject(): string {
    const properties = { value: anySchema() };
    return this.#component('', 'AnyObject', (title) => ({ title, type: 'object', properties }));
  }

  #component(key: string, suggested: string, content: (name: string) => PreparedSchema): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#nameFor(suggested);
    this.#known.set(key, name);
    this.#components.set(name, content(name));
    return name;
  }

  /** A name that neither another type nor Mesh uses. */
  #nameFor(suggested: string): string {
    const wanted = typeName(suggested);
    let name = wanted;
    for (let number = 2; this.#names.has(name); number += 1) name = `${wanted}${number}`;
    this.#names.add(name);
    return name;
  }

  #listOf(
    schema: Schema,
    prepare: (items: DocumentNode) => PreparedSchema | undefined,
  ): PreparedSchema | undefined {
    const node = restNode(schema);
    const isTyped = node !== undefined && node.value !== false && !endsInItself(schema, this.#read);
    const items = isTyped ? prepare(node) : anySchema();
    return items && { type: 'array', items };
  }

  /** Whether all values are objects, of one or several types. */
  #hasObjects(schema: Schema, above: readonly string[] = []): boolean {
    if (isRecord(schema)) return true;
    const { identity, alternatives } = schema;
    if (alternatives.length === 0 || above.includes(identity)) return false;
    return alternatives.every((node) => {
      const branch = this.#shown(node);
      return branch !== undefined && this.#hasObjects(branch, [...above, identity]);
    });
  }
}

/** Whether the schema is an object with known properties. */
function isRecord(schema: Schema): boolean {
  return isObjectSchema(schema) && schemaProperties(schema).size > 0;
}

/** Names and titles that Mesh reserves or misinterprets, such as `constructor`. */
const OWN_NAMES: ReadonlySet<string> = new Set(
  `Any _schema Query Mutation Subscription QueryInput MutationInput SubscriptionInput String Int Float Boolean ID
  JSON Void File BigInt Byte Date DateTime Time UUID ObjMap HTTPMethod`.split(/\s+/),
);

function typeName(written: string): string {
  const name = meshName(written);
  return OWN_NAMES.has(name) || name in Object.prototype ? `${name}_` : name;
}

/** A property with a GraphQL name. */
interface PropertySchema {
  readonly name: string;
  readonly node: DocumentNode;
  readonly schema: Schema;
}

/** The properties of an object with a valid and unique name in Mesh. */
function namedProperties(read: SchemaReader, object: Schema): readonly PropertySchema[] {
  const known = new Map<string, PropertySchema>();
  for (const [name, node] of schemaProperties(object)) {
    const schema = read(node);
    if (schema === undefined || schema.hidden || isTrue(keyword(schema, 'writeOnly'))) continue;
    if (name !== '__proto__' && name !== 'additionalProperties' && !known.has(meshName(name)))
      known.set(meshName(name), { name, node, schema });
  }
  return [...known.values()];
}

function mayBeNull(schema: Schema, read: SchemaReader): boolean {
  return schema.nullable || schema.alternatives.some((branch) => read(branch)?.nullable === true);
}

/** Whether a list contains itself at some depth. */
function endsInItself(schema: Schema, read: SchemaReader): boolean {
  const seen = new Set<string>();
  for (let inner: Schema | undefined = schema; inner !== undefined && isArraySchema(inner); ) {
    if (seen.has(inner.identity)) return true;
    seen.add(inner.identity);
    const node: DocumentNode | undefined = restNode(inner);
    inner = node && read(node);
  }
  return false;
}

function referenceTo(component: string): PreparedSchema {
  return { $ref: `#/components/schemas/${component}` };
}
