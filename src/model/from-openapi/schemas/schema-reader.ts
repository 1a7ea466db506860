import {
  type DocumentNode,
  isObjectNode,
  isTrue,
  items,
  member,
  members,
  text,
  texts,
} from '../document/document-node.ts';
import { type DocumentSource, referenceChain } from '../document/document-source.ts';
import { isComponent, type Schema, type SchemaReader } from './schema.ts';

const DEEPEST = 64;

/** A reader that reads each schema of the document once. */
export function schemaReader(source: DocumentSource): SchemaReader {
  const known = new Map<string, Schema | undefined>();
  const read = (node: DocumentNode, above: readonly string[]): Schema | undefined => {
    if (known.has(node.pointer)) return known.get(node.pointer);
    if (above.includes(node.pointer) || above.length > DEEPEST) {
      const isCircle = above.includes(node.pointer);
      const message = isCircle
        ? 'The schema is defined by itself'
        : 'The schema is merged from too many levels';
      source.report('error', node.pointer, message);
      return undefined;
    }
    const schema = readSchema(source, node, (inner) => read(inner, [...above, node.pointer]));
    known.set(node.pointer, schema);
    return schema;
  };
  return (node) => read(node, []);
}

function readSchema(source: DocumentSource, node: DocumentNode, read: SchemaReader): Schema | undefined {
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

/** The schema itself with its `allOf`, and with the one branch that `oneOf` or `anyOf` leaves beside null. */
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
    layers: [
      node,
      ...[...remarks, ...(only === undefined ? [] : [only]), ...others].flatMap((part) => part.layers),
    ],
    nullable: nonNull.length < branches.length || saysNull(node) || (same && only.nullable),
    parts: same ? only.parts : parts,
    alternatives: nonNull.length > single.length ? nonNull : parts.flatMap((part) => othersThan(node, part)),
    discriminated:
      member(node, 'discriminator') !== undefined || parts.some(({ discriminated }) => discriminated),
    hidden: isHidden(node) || (same && only.hidden),
  };
}

/** The branches of a merged schema; none where the merging one is among them, and so is the branch itself. */
function othersThan({ pointer }: DocumentNode, { alternatives }: Schema): readonly DocumentNode[] {
  return alternatives.some((branch) => text(member(branch, '$ref')) === `#${pointer}`) ? [] : alternatives;
}

const REMARKS =
  /^(?:title|description|default|examples?|deprecated|readOnly|writeOnly|nullable|externalDocs|xml|x-.*)$/;

/** Whether it says nothing of what values there are, as in `allOf: [{ $ref: … }, { description: … }]`. */
function isRemark({ layers }: Schema): boolean {
  return layers.every((layer) => members(layer).every(([name]) => REMARKS.test(name)));
}

const TYPING = ['$ref', 'type', 'properties', 'items', 'allOf', 'oneOf', 'anyOf', 'enum', 'const'];

/** Whether the schema says of what type values are; one that does not only restricts them, as by `required`. */
function isTyped(node: DocumentNode): boolean {
  return TYPING.some((name) => member(node, name) !== undefined);
}

/** Whether it is another schema than the one that it merges: it has properties of its own, or is derived. */
function addsTo(node: DocumentNode, part: Schema): boolean {
  if (member(node, 'properties') !== undefined) return true;
  return isComponent(node.pointer) && part.discriminated;
}

function isHidden(node: DocumentNode): boolean {
  return member(node, 'x-odata')?.value === false;
}

/** A schema that only null is valid against. */
function isNull(node: DocumentNode): boolean {
  const types = texts(member(node, 'type'));
  return (types.length === 1 && types[0] === 'null') || member(node, 'const')?.value === null;
}

/** `type: [T, "null"]`, null among the values of an `enum`, or OpenAPI 3.0's `nullable: true`. */
function saysNull(node: DocumentNode): boolean {
  return (
    texts(member(node, 'type')).includes('null') ||
    items(member(node, 'enum')).some(({ value }) => value === null) ||
    isTrue(member(node, 'nullable'))
  );
}
