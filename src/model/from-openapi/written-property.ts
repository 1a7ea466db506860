import type { Derivation } from './derivation.ts';
import type { DocumentNode } from './document-node.ts';
import { widestType } from './primitive-type.ts';
import { requiredNames, type Schema, schemaProperties } from './schema.ts';

/** A property as schemas have it. */
export interface WrittenProperty {
  readonly upstreamName: string;
  readonly node: DocumentNode;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The properties of an object schema: its own, and what all of the schemas have that it may be one of. */
export function writtenProperties(derivation: Derivation, schema: Schema): readonly WrittenProperty[] {
  const required = requiredNames(schema);
  const own = [...schemaProperties(schema)].flatMap(([upstreamName, node]) => {
    const property = derivation.read(node);
    if (property === undefined) return [];
    return { upstreamName, node, schema: property, required: required.has(upstreamName) };
  });
  const names = new Set(own.map(({ upstreamName }) => upstreamName));
  const shared = sharedProperties(derivation, schema).filter(({ upstreamName }) => !names.has(upstreamName));
  return [...shared, ...own];
}

function sharedProperties(derivation: Derivation, schema: Schema): readonly WrittenProperty[] {
  const branches = schema.alternatives.flatMap((branch) => derivation.read(branch) ?? []);
  const properties = branches.map(schemaProperties);
  const required = branches.map(requiredNames);
  const [first] = properties;
  return [...(first ?? [])].flatMap(([upstreamName, node]) => {
    const nodes = properties.flatMap((each) => each.get(upstreamName) ?? []);
    const property = nodes.length < branches.length ? undefined : sharedSchema(derivation, schema, nodes);
    if (property === undefined) return [];
    const isRequired = required.every((each) => each.has(upstreamName));
    return { upstreamName, node, schema: property, required: isRequired };
  });
}

/** The schema that all of them have, or one that is any of them where all have one primitive type. */
function sharedSchema(
  { source, read }: Derivation,
  owner: Schema,
  nodes: readonly DocumentNode[],
): Schema | undefined {
  const [first] = nodes;
  const schemas = nodes.flatMap((node) => read(node) ?? []);
  const isSame = nodes.every(({ value }) => JSON.stringify(value) === JSON.stringify(first?.value));
  if (isSame || schemas.length < nodes.length) return isSame ? schemas[0] : undefined;
  if (widestType(source, schemas) === undefined) return undefined;
  const name = first?.pointer.slice(first.pointer.lastIndexOf('/'));
  return {
    identity: `${owner.identity}/properties${name}`,
    layers: [],
    nullable: schemas.some(({ nullable }) => nullable),
    parts: [],
    alternatives: nodes,
    hidden: schemas.some(({ hidden }) => hidden),
  };
}
