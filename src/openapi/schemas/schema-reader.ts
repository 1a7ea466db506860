import {
  type DocumentNode,
  isHidden,
  isObjectNode,
  isTrue,
  items,
  type JoinedNodes,
  member,
  members,
  text,
  texts,
} from '../document/document-node.ts';
import { type DocumentSource, referenceChain } from '../document/document-source.ts';
import { isComponent, jsonTypes, type Schema, type SchemaReader } from './schema.ts';

const DEEPEST = 64;

/** Reads each schema of the document once. */
export function schemaReader(source: DocumentSource): SchemaReader {
  const known = new Map<string, Schema | undefined>();
  const read = (node: DocumentNode, above: readonly string[]): Schema | undefined => {
    const place = nodeKey(node);
    if (known.has(place)) return known.get(place);
    if (above.includes(place) || above.length > DEEPEST) {
      const isCircle = above.includes(place);
      const message = isCircle
        ? 'The schema is defined by itself'
        : 'The schema is merged from too many levels';
      source.report('error', node.pointer, message);
      return undefined;
    }
    const schema = readSchema(source, node, (inner) => read(inner, [...above, place]));
    known.set(place, schema);
    return schema;
  };
  return (node) => read(node, []);
}

/** Identifies a node; joined nodes are identified by all of their pointers. */
function nodeKey({ pointer, joined }: DocumentNode): string {
  return joined === undefined ? pointer : joined.nodes.map((node) => node.pointer).join(' ');
}

function readSchema(source: DocumentSource, node: DocumentNode, read: SchemaReader): Schema | undefined {
  if (node.joined !== undefined) return joinSchemas(node.joined, read);
  if (node.value === false) {
    source.report('warning', node.pointer, 'The schema `false` allows no value');
    return undefined;
  }
  if (node.value !== true && !isObjectNode(node)) {
    source.report('error', node.pointer, 'A schema is an object, true or false');
    return undefined;
  }
  return text(member(node, '$ref')) === undefined ? merge(node, read) : refer(source, node, read);
}

function refer(source: DocumentSource, node: DocumentNode, read: SchemaReader): Schema | undefined {
  const chain = referenceChain(source, node);
  const target = chain?.at(-1);
  const schema = target === undefined ? undefined : read(target);
  if (chain === undefined || schema === undefined) return undefined;
  const referring = chain.slice(0, -1);
  return {
    ...schema,
    layers: [...referring, ...schema.layers],
    nullable: schema.nullable || referring.some((layer) => isTrue(member(layer, 'nullable'))),
    hidden: schema.hidden || referring.some(isHidden),
  };
}

/** The schema merged with its `allOf`, and with the only branch of `oneOf` or `anyOf` beside null. */
function merge(node: DocumentNode, read: SchemaReader): Schema {
  const branches = [...items(member(node, 'oneOf')), ...items(member(node, 'anyOf'))].filter(
    (branch) => !isTyped(node) || isTyped(branch),
  );
  const nonNull = branches.filter((branch) => !isNull(branch));
  const single = nonNull.length === 1 && member(node, 'discriminator') === undefined ? nonNull : [];
  const parts = [...items(member(node, 'allOf')), ...single].flatMap((part) => read(part) ?? []);
  const remarks = parts.filter(isRemark);
  const [only, ...others] = parts.filter((part) => !isRemark(part));
  const same = only !== undefined && others.length === 0 && !addsTo(node, only);
  return {
    identity: same ? only.identity : node.pointer,
    layers: [node, ...distinctLayers([...remarks, ...(only === undefined ? [] : [only]), ...others])],
    nullable: nonNull.length < branches.length || saysNull(node) || (same && only.nullable),
    parts: same ? only.parts : parts,
    alternatives: nonNull.length > single.length ? nonNull : parts.flatMap((part) => othersThan(node, part)),
    discriminated:
      member(node, 'discriminator') !== undefined || parts.some(({ discriminated }) => discriminated),
    hidden: isHidden(node) || (same && only.hidden),
  };
}

/** The branches of a merged schema; empty if the merging schema is one of them. */
function othersThan({ pointer }: DocumentNode, { alternatives }: Schema): readonly DocumentNode[] {
  return alternatives.some((branch) => text(member(branch, '$ref')) === `#${pointer}`) ? [] : alternatives;
}

const TYPING = ['$ref', 'type', 'properties', 'items', 'allOf', 'oneOf', 'anyOf', 'enum', 'const'];

/** Whether the schema determines the type of values; others only add restrictions, such as `required`. */
function isTyped(node: DocumentNode): boolean {
  return TYPING.some((name) => member(node, name) !== undefined);
}

/** Whether the schema differs from the one that it merges, by own properties or by derivation. */
function addsTo(node: DocumentNode, part: Schema): boolean {
  if (member(node, 'properties') !== undefined) return true;
  return isComponent(node.pointer) && part.discriminated;
}

/** Whether only null is valid. */
function isNull(node: DocumentNode): boolean {
  const types = texts(member(node, 'type'));
  return (types.length === 1 && types[0] === 'null') || member(node, 'const')?.value === null;
}

/** `type: [T, "null"]`, null in an `enum`, or OpenAPI 3.0's `nullable: true`. */
function saysNull(node: DocumentNode): boolean {
  return (
    texts(member(node, 'type')).includes('null') ||
    items(member(node, 'enum')).some(({ value }) => value === null) ||
    isTrue(member(node, 'nullable'))
  );
}

/**
 * Combines several schemas for the same value, such as a property that several parts of an `allOf` describe:
 * a wrapper has `data: [object]`, and a merging schema has `data: [Station]`.
 *
 * If one of them implies the others, it is the result. If they contradict each other, the outermost wins.
 */
function joinSchemas({ identity, nodes }: JoinedNodes, read: SchemaReader): Schema | undefined {
  const parts = nodes.flatMap((node) => read(node) ?? []);
  const telling = distinct(parts.filter((part) => !isRemark(part) && !isImplied(part, parts, read)));
  const [only, ...others] = telling;
  const [outermost] = parts;
  if (outermost === undefined) return undefined;
  const isOne = only !== undefined && others.length === 0;
  const joined: Schema = {
    identity: isOne ? only.identity : identity,
    layers: distinctLayers(parts),
    nullable: (telling.length > 0 && telling.every(({ nullable }) => nullable)) || parts.some(saysNullable),
    parts: isOne ? only.parts : parts,
    alternatives: telling.flatMap(({ alternatives }) => alternatives),
    discriminated: parts.some(({ discriminated }) => discriminated),
    hidden: parts.some(({ hidden }) => hidden),
  };
  return isContradiction(joined, parts) ? outermost : joined;
}

/** Schemas that only allow null refer to what the others allow. */
function saysNullable(part: Schema): boolean {
  return part.nullable && isRemark(part);
}

/**
 * Whether another schema implies this part: merges it, is one of its branches, or is more specific than its
 * type.
 */
function isImplied(part: Schema, parts: readonly Schema[], read: SchemaReader): boolean {
  return parts.some((other) => {
    if (other.identity === part.identity) return false;
    if (isPlain(part)) return !isPlain(other);
    const isMerged = other.layers.some(({ pointer }) => pointer === part.identity);
    return isMerged || part.alternatives.some((branch) => read(branch)?.identity === other.identity);
  });
}

function distinct(schemas: readonly Schema[]): readonly Schema[] {
  return [...new Map(schemas.map((schema) => [schema.identity, schema])).values()];
}

/** Merges shared parts once; otherwise they would double on each level. */
function distinctLayers(parts: readonly Schema[]): Schema['layers'] {
  const layers = parts.flatMap((part) => part.layers).toReversed();
  return [...new Map(layers.map((layer) => [layer.pointer, layer])).values()].toReversed();
}

function isContradiction(joined: Schema, parts: readonly Schema[]): boolean {
  return jsonTypes(joined).length === 0 && parts.some((part) => jsonTypes(part).length > 0);
}

const REMARKS =
  /^(?:title|description|default|examples?|deprecated|readOnly|writeOnly|nullable|externalDocs|xml|x-.*)$/;

/** Whether the schema does not restrict values, as in `allOf: [{ $ref: … }, { description: … }]`. */
function isRemark(schema: Schema): boolean {
  return saysOnly(schema, REMARKS);
}

const TYPE_OR_REMARK = new RegExp(`^type$|${REMARKS.source}`);

/** Whether the schema restricts the JSON type only. */
function isPlain(schema: Schema): boolean {
  return saysOnly(schema, TYPE_OR_REMARK);
}

function saysOnly({ layers }: Schema, keywords: RegExp): boolean {
  return layers.every((layer) => members(layer).every(([name]) => keywords.test(name)));
}
