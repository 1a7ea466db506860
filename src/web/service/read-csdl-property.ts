import { type CsdlNode, labelOf, listOf, nodeOf, numberOf, textOf } from './csdl-node.ts';
import type { Bound, Limits, Property } from './metadata.ts';
import type { CsdlTypes } from './read-csdl-type.ts';

export function readProperty(name: string, member: CsdlNode, types: CsdlTypes): Property {
  const typeName = String(member['$Type'] ?? 'Edm.String');
  return {
    name,
    label: labelOf(name),
    description: textOf(member['@Core.Description']),
    type: types.type(typeName),
    isCollection: member['$Collection'] === true,
    nullable: member['$Nullable'] === true,
    limits: readLimits({ ...definitionOf(typeName, types), ...member }),
    defaultValue: member['$DefaultValue'],
    computed: member['@Core.Computed'] === true,
    writeOnly: member['@Core.Permissions'] === 'Write',
  };
}

/** What a type definition says holds for each of its values (CSDL JSON 4.01, 11). */
function definitionOf(typeName: string, types: CsdlTypes): CsdlNode {
  const node = nodeOf(types.nodes.get(typeName));
  return node['$Kind'] === 'TypeDefinition' ? node : {};
}

function readLimits(node: CsdlNode): Limits {
  const allowed = listOf(node['@Validation.AllowedValues']).map((item) => String(nodeOf(item)['Value']));
  return {
    maxLength: numberOf(node['$MaxLength']),
    scale: numberOf(node['$Scale']),
    pattern: textOf(node['@Validation.Pattern']),
    minimum: readBound(node, '@Validation.Minimum'),
    maximum: readBound(node, '@Validation.Maximum'),
    allowedValues: allowed.length === 0 ? undefined : allowed,
  };
}

function readBound(node: CsdlNode, term: string): Bound | undefined {
  const value = numberOf(node[term]);
  return value === undefined
    ? undefined
    : { value, isExclusive: node[`${term}@Validation.Exclusive`] === true };
}
