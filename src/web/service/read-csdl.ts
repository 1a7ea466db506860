import { type CsdlNode, listOf, members, nodeOf, simpleName, textOf } from './csdl-node.ts';
import type { EntitySet, Metadata, StructuredType } from './metadata.ts';
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
  const type = withComputed(types.structured(typeName), notInsertable);
  return {
    name,
    type,
    typeName: simpleName(typeName),
    description: textOf(member['@Core.Description']) ?? textOf(lineage.at(-1)?.['@Core.Description']),
    key: lineage.flatMap((node) => listOf(node['$Key']).filter((part) => typeof part === 'string')),
    properties: type.properties,
    insertable: insert['Insertable'] !== false,
    searchable: search['Searchable'] !== false,
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
