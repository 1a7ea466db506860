import { type DocumentNode, isTrue, member, text } from '../../model/from-openapi/document-node.ts';
import { type DocumentSource, quote } from '../../model/from-openapi/document-source.ts';
import { meshName } from '../../model/from-openapi/mesh-name.ts';
import {
  isArraySchema,
  isObjectSchema,
  keyword,
  ownSchema,
  requiredNames,
  type Schema,
  type SchemaReader,
  schemaProperties,
  schemaReader,
} from '../../model/from-openapi/schema.ts';
import { type ComponentNames, componentNames } from './component-names.ts';
import { anySchema, isAny, type PreparedSchema } from './prepared-schema.ts';
import { isEnum, scalarSchema, scalarType } from './scalar-schema.ts';
import { differingComponents } from './schema-direction.ts';
import { type Branch, commonScalar, discriminator, unionBranches } from './union-schema.ts';

/** Which way the values go: what is read only is not sent, what is written only does not come. */
export type Direction = 'request' | 'response';

/**
 * Prepares the schemas of a document for Mesh: each says in few words what the model takes it for.
 *
 * References lead to components of the prepared document, `allOf` is merged, null is told by what is
 * required, and what GraphQL has no type for is a JSON scalar.
 */
export class SchemaPreparer {
  readonly #source: DocumentSource;
  readonly #read: SchemaReader;
  readonly #names: ComponentNames;
  readonly #differing: ReadonlySet<string>;
  readonly #known = new Map<string, string>();
  readonly #components = new Map<string, PreparedSchema>();
  readonly #waiting: (() => void)[] = [];
  /** What is being written out: references within it may lead back to it. */
  readonly #begun = new Set<string>();

  constructor(source: DocumentSource) {
    this.#source = source;
    this.#read = schemaReader(source);
    this.#names = componentNames(source);
    this.#differing = differingComponents(source.root);
  }

  /** The schema of what stands at a node; undefined, and a finding, where that is none or not exposed. */
  prepare(node: DocumentNode, direction: Direction): PreparedSchema | undefined {
    const schema = this.#read(node);
    return schema === undefined || schema.hidden ? undefined : this.#place(schema, node, direction);
  }

  /** The components that all prepared schemas refer to. */
  components(): Readonly<Record<string, PreparedSchema>> {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) next();
    return Object.fromEntries(this.#components);
  }

  /** The schema itself where it is written out, else a reference to its component. */
  #place(schema: Schema, node: DocumentNode, direction: Direction): PreparedSchema | undefined {
    if (!hasName(schema)) return this.#content(schema, direction);
    const isShared = schema.identity !== node.pointer || mergesOthers(schema) || isComponentEnum(schema);
    if (isShared || this.#begun.has(schema.identity)) return { $ref: this.#reference(schema, direction) };
    this.#begun.add(schema.identity);
    const content = this.#content(schema, direction);
    this.#begun.delete(schema.identity);
    return content;
  }

  #reference(schema: Schema, direction: Direction): string {
    const isSent = direction === 'request' && this.#differing.has(schema.identity);
    const key = `${isSent ? direction : ''} ${schema.identity}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#names.name(schema, isSent ? '_request' : '');
    const reference = `#/components/schemas/${name}`;
    this.#known.set(key, reference);
    this.#waiting.push(() => {
      const content = this.#content(ownSchema(schema), direction) ?? anySchema();
      this.#components.set(name, isAny(content) ? content : { ...content, title: name });
    });
    return reference;
  }

  #content(schema: Schema, direction: Direction): PreparedSchema | undefined {
    if (isArraySchema(schema)) return this.#array(schema, direction);
    const scalar = scalarType(schema) ?? commonScalar(schema, this.#read);
    if (scalar !== undefined)
      return described(schema, { ...this.#titled(schema), ...scalarSchema(schema, scalar) });
    if (isObjectSchema(schema) && schemaProperties(schema).size > 0) return this.#object(schema, direction);
    const branches = direction === 'response' ? unionBranches(schema, this.#read) : undefined;
    return branches === undefined ? described(schema, anySchema()) : this.#union(schema, branches, direction);
  }

  #array(schema: Schema, direction: Direction): PreparedSchema | undefined {
    const node = keyword(schema, 'items');
    const isTyped = node !== undefined && node.value !== false && !endsInItself(schema, this.#read);
    const items = isTyped ? this.prepare(node, direction) : anySchema();
    return items && described(schema, { type: 'array', items });
  }

  #object(schema: Schema, direction: Direction): PreparedSchema {
    const required = requiredNames(schema);
    const properties = new Map<string, PreparedSchema>();
    const alwaysThere: string[] = [];
    for (const { name, node, schema: property } of this.#properties(schema, direction)) {
      const isAlwaysThere = required.has(name) && !mayBeNull(property, this.#read);
      const placed = this.#place(property, node, direction);
      if (placed === undefined) continue;
      properties.set(name, isAlwaysThere ? placed : withRemarks(property, placed));
      if (isAlwaysThere && !isAny(placed)) alwaysThere.push(name);
    }
    if (properties.size === 0) return described(schema, anySchema());
    return described(schema, {
      ...this.#titled(schema),
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(alwaysThere.length === 0 ? {} : { required: alwaysThere }),
      ...(isOpen(schema) ? { additionalProperties: true } : {}),
    });
  }

  /** The properties that go that way and have a name in GraphQL. */
  #properties(schema: Schema, direction: Direction): readonly PropertySchema[] {
    const withheld = direction === 'request' ? 'readOnly' : 'writeOnly';
    const taken = new Set<string>();
    return [...schemaProperties(schema)].flatMap(([name, node]) => {
      const property = this.#read(node);
      if (property === undefined || property.hidden || isTrue(keyword(property, withheld))) return [];
      const reason = whyNotNamed(name, taken);
      if (reason === undefined) {
        taken.add(meshName(name));
        return [{ name, node, schema: property }];
      }
      this.#source.report('warning', node.pointer, `The property is left out of GraphQL: ${reason}`);
      return [];
    });
  }

  #union(schema: Schema, branches: readonly Branch[], direction: Direction): PreparedSchema {
    const references = branches.map(({ schema: branch, node }) => ({
      branch,
      placed: this.#place(branch, node, direction) ?? anySchema(),
    }));
    const target = new Map(references.map(({ branch, placed }) => [branch.identity, placed['$ref']]));
    return described(schema, {
      ...this.#titled(schema),
      oneOf: references.map(({ placed }) => placed),
      ...discriminator(this.#source, schema, branches, target),
    });
  }

  #titled(schema: Schema): PreparedSchema {
    const own = schema.layers.find(({ pointer }) => pointer === schema.identity);
    const title = own && this.#names.title(own);
    return title === undefined ? {} : { title };
  }
}

interface PropertySchema {
  readonly name: string;
  readonly node: DocumentNode;
  readonly schema: Schema;
}

/** Whether Mesh makes a type with a name of it, which must be one type wherever it is referred to. */
function hasName(schema: Schema): boolean {
  if (isArraySchema(schema)) return false;
  return schemaProperties(schema).size > 0 || schema.alternatives.length > 0 || isEnum(schema);
}

/** What it is all of may have it for a property. */
function mergesOthers({ identity, layers }: Schema): boolean {
  return layers.some(({ pointer }) => pointer !== identity && !pointer.startsWith(`${identity}/`));
}

/** It is one type for what is sent and for what comes. */
function isComponentEnum(schema: Schema): boolean {
  return schema.identity.startsWith('/components/schemas/') && isEnum(schema);
}

function mayBeNull(schema: Schema, read: SchemaReader): boolean {
  return schema.nullable || schema.alternatives.some((branch) => read(branch)?.nullable === true);
}

function whyNotNamed(name: string, taken: ReadonlySet<string>): string | undefined {
  if (name === '__proto__') return 'no object can have a property of that name';
  // Mesh takes it for the keyword.
  if (name === 'additionalProperties') return 'it has the name of a keyword';
  return taken.has(meshName(name)) ? `${quote(meshName(name))} names another one` : undefined;
}

/** A list of lists of lists, and so on. */
function endsInItself(schema: Schema, read: SchemaReader): boolean {
  const seen = new Set<string>();
  for (let inner: Schema | undefined = schema; inner !== undefined && isArraySchema(inner); ) {
    if (seen.has(inner.identity)) return true;
    seen.add(inner.identity);
    const node: DocumentNode | undefined = keyword(inner, 'items');
    inner = node && read(node);
  }
  return false;
}

function isOpen(schema: Schema): boolean {
  const said = schema.layers.flatMap((layer) => member(layer, 'additionalProperties') ?? []);
  return said.length > 0 && said.every(({ value }) => value !== false);
}

function described(schema: Schema, prepared: PreparedSchema): PreparedSchema {
  const description = text(keyword(schema, 'description'));
  return description === undefined ? prepared : { ...prepared, description };
}

/**
 * What is said of a property beside its reference. Mesh drops what stands beside a `$ref`; this form, which
 * needs a title and names no type after it, keeps the type that is referred to but lets its values be null.
 */
function withRemarks(property: Schema, placed: PreparedSchema): PreparedSchema {
  const own = property.layers.findIndex(({ pointer }) => pointer === property.identity);
  const beside = { ...property, layers: '$ref' in placed ? property.layers.slice(0, own) : property.layers };
  const remarks = described(beside, isTrue(keyword(beside, 'deprecated')) ? { deprecated: true } : {});
  if (Object.keys(remarks).length === 0) return placed;
  if (!('$ref' in placed)) return { ...placed, ...remarks };
  return { title: 'Reference', nullable: true, anyOf: [placed], ...remarks };
}
