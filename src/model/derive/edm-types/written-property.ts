import type { DocumentNode } from '../../../openapi/document/document-node.ts';
import { requiredNames, type Schema, schemaProperties } from '../../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import { widestType } from './primitive-type.ts';

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
  return [...branchProperties(derivation, schema, [])].flatMap(([upstreamName, { nodes, required }]) => {
    const [node] = nodes;
    const property = sharedSchema(derivation, schema, nodes);
    return node === undefined || property === undefined
      ? []
      : [{ upstreamName, node, schema: property, required }];
  });
}

/** A property as it stands in several schemas. */
interface PropertyNodes {
  readonly nodes: readonly DocumentNode[];
  readonly required: boolean;
}

/** The properties that all branches have, each its own or in all branches of its own. */
function branchProperties(
  derivation: Derivation,
  schema: Schema,
  above: readonly string[],
): ReadonlyMap<string, PropertyNodes> {
  const within = [...above, schema.identity];
  const branches = schema.alternatives
    .flatMap((branch) => derivation.read(branch) ?? [])
    .map((branch) => {
      const isKnown = within.includes(branch.identity);
      const inner = isKnown ? [] : branchProperties(derivation, branch, within);
      return new Map([...inner, ...ownProperties(branch)]);
    });
  const [first, ...others] = branches;
  return new Map(
    [...(first ?? [])].flatMap(([name, { nodes, required }]) => {
      const found = others.flatMap((each) => each.get(name) ?? []);
      if (found.length < others.length) return [];
      const all = { nodes: [...nodes, ...found.flatMap((each) => each.nodes)] };
      return [[name, { ...all, required: required && found.every((each) => each.required) }]];
    }),
  );
}

function ownProperties(schema: Schema): readonly (readonly [string, PropertyNodes])[] {
  const required = requiredNames(schema);
  return [...schemaProperties(schema)].map(([name, node]) => [
    name,
    { nodes: [node], required: required.has(name) },
  ]);
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
    discriminated: false,
    hidden: schemas.some(({ hidden }) => hidden),
  };
}
