import { type CsdlNode, listOf, members, nodeOf, simpleName, textOf } from './csdl-node.ts';
import type { EntitySet, KeyPart, Metadata, StructuredType } from './metadata.ts';
import { type CsdlTypes, lineageOf, readTypes } from './read-csdl-type.ts';

/** Reads a model from CSDL JSON 4.01. */
export function readCsdl(document: unknown): Metadata {
  const root = nodeOf(document);
  const types = readTypes(root);
  const container = nodeOf(types.nodes.get(String(root['$EntityContainer'])));
  const entitySets = members(container)
    .filter(([, member]) => member['$Collection'] === true)
    .map(([name, member]) => [name, readEntitySet(name, member, types)] as const);
  return { entitySets: new Map(entitySets) };
}

function readEntitySet(name: string, member: CsdlNode, types: CsdlTypes): EntitySet {
  const typeName = String(member['$Type']);
  const lineage = lineageOf(typeName, types.nodes);
  const insert = nodeOf(member['@Capabilities.InsertRestrictions']);
  const search = nodeOf(member['@Capabilities.SearchRestrictions']);
  const notInsertable = new Set(listOf(insert['NonInsertableProperties']).map(String));
  const required = new Set(listOf(insert['RequiredProperties']).map(String));
  const type = withComputed(types.structured(typeName), notInsertable);
  return {
    name,
    type: withRequired(type, required),
    typeName: simpleName(typeName),
    description: textOf(member['@Core.Description']) ?? textOf(lineage.at(-1)?.['@Core.Description']),
    key: lineage.flatMap((node) => listOf(node['$Key']).flatMap(readKeyPart)),
    properties: type.properties,
    insertable: insert['Insertable'] !== false,
    searchable: search['Searchable'] !== false,
  };
}

/** A name, or an alias with the path that it stands for (CSDL JSON 4.01, 6.5). */
function readKeyPart(part: unknown): readonly KeyPart[] {
  if (typeof part === 'string') return [{ name: part, path: part }];
  return Object.entries(nodeOf(part)).map(([name, path]) => ({ name, path: String(path) }));
}

/** The type where a create must say what is named, though reads may have null for it. */
function withRequired(type: StructuredType, names: ReadonlySet<string>): StructuredType {
  return {
    ...type,
    properties: type.properties.map((property) =>
      names.has(property.name) ? { ...property, nullable: false } : property,
    ),
    derived: type.derived.map((derived) => withRequired(derived, names)),
  };
}

/** The type where a create does not take what is named. */
function withComputed(type: StructuredType, names: ReadonlySet<string>): StructuredType {
  return {
    ...type,
    properties: type.properties.map((property) =>
      names.has(property.name) ? { ...property, computed: true } : property,
    ),
    derived: type.derived.map((derived) => withComputed(derived, names)),
  };
}
