import type { JoinedNodes } from '../document/document-node.ts';
import { isPlain, isRemark } from './remark.ts';
import { jsonTypes, type Schema, type SchemaReader } from './schema.ts';

/**
 * The schema of values that several schemas hold of, such as those of a property which each part of an `allOf`
 * describes: a wrapper says `data: [object]`, and what merges it `data: [Station]`.
 *
 * Where one of them says all that the others do, it is that one. Where they contradict each other, which no value
 * could satisfy, the outermost is taken at its word.
 */
export function joinSchemas({ identity, nodes }: JoinedNodes, read: SchemaReader): Schema | undefined {
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

/** A remark that null is allowed is about what the others say. */
function saysNullable(part: Schema): boolean {
  return part.nullable && isRemark(part);
}

/** Whether another one says all that the part does: it merges it, is one of its branches, or is more than its type. */
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

function distinctLayers(parts: readonly Schema[]): Schema['layers'] {
  const layers = parts.flatMap((part) => part.layers);
  return layers.filter(
    ({ pointer }, index) => layers.findIndex((each) => each.pointer === pointer) === index,
  );
}

function isContradiction(joined: Schema, parts: readonly Schema[]): boolean {
  return jsonTypes(joined).length === 0 && parts.some((part) => jsonTypes(part).length > 0);
}
