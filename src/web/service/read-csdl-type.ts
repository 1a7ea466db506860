import {
  type CsdlNode,
  labelOf,
  listOf,
  members,
  nodeOf,
  numberOf,
  simpleName,
  textOf,
} from './csdl-node.ts';
import type { Bound, Limits, Property, PropertyType, StructuredType } from './metadata.ts';

/** The types of a document. */
export interface CsdlTypes {
  /** What the document says of each, by qualified name. */
  readonly nodes: ReadonlyMap<string, CsdlNode>;
  /** An entity type or a complex type. */
  structured(name: string): StructuredType;
  /** The type of a property. */
  type(name: string): PropertyType;
}

export function readTypes(root: CsdlNode): CsdlTypes {
  const nodes = typeNodes(root);
  const types: CsdlTypes = {
    nodes,
    structured: (name) => readStructured(name, types),
    type: (name) => readType(name, types),
  };
  return types;
}

/** The type and those it derives from, the base first. */
export function lineageOf(typeName: string, nodes: CsdlTypes['nodes']): readonly CsdlNode[] {
  const type = nodeOf(nodes.get(typeName));
  const base = type['$BaseType'];
  return typeof base === 'string' ? [...lineageOf(base, nodes), type] : [type];
}

function typeNodes(root: CsdlNode): CsdlTypes['nodes'] {
  const nodes = new Map<string, CsdlNode>();
  for (const [namespace, schema] of members(root)) {
    const alias = schema['$Alias'];
    for (const [name, member] of members(schema)) {
      nodes.set(`${namespace}.${name}`, member);
      if (typeof alias === 'string') nodes.set(`${alias}.${name}`, member);
    }
  }
  return nodes;
}

/** Properties are read when they are asked for: a type may have a property of its own type. */
function readStructured(name: string, types: CsdlTypes): StructuredType {
  const node = nodeOf(types.nodes.get(name));
  return {
    name,
    label: labelOf(simpleName(name)),
    isAbstract: node['$Abstract'] === true,
    get properties() {
      const own = lineageOf(name, types.nodes).flatMap(members).filter(isStructural);
      return own.map(([property, member]) => readProperty(property, member, types));
    },
    get derived() {
      return derivedNames(name, types).map(types.structured);
    },
  };
}

/** A stream is no value in the entity's JSON: it is read and written at an address of its own. */
function isStructural([, member]: readonly [string, CsdlNode]): boolean {
  return member['$Kind'] === undefined && member['$Type'] !== 'Edm.Stream';
}

function derivedNames(name: string, { nodes }: CsdlTypes): readonly string[] {
  const base = nodes.get(name);
  return [...nodes]
    .filter(([other, node]) => node !== base && lineageOf(other, nodes).includes(nodeOf(base)))
    .filter(([, node], index, all) => all.findIndex(([, twin]) => twin === node) === index)
    .map(([other]) => other);
}

function readType(name: string, types: CsdlTypes): PropertyType {
  const node = types.nodes.get(name);
  switch (node?.['$Kind']) {
    case 'TypeDefinition':
      return readType(String(node['$UnderlyingType']), types);
    case 'EnumType':
      return readEnum(name, node);
    case 'ComplexType':
      return { kind: 'complex', name, structure: types.structured(name) };
    default:
      return { kind: 'primitive', name };
  }
}

function readEnum(name: string, node: CsdlNode): PropertyType {
  const members = Object.entries(node).filter(
    ([member, value]) => !/[$@]/.test(member) && typeof value === 'number',
  );
  const flags = node['$IsFlags'] === true;
  return {
    kind: 'enum',
    name,
    members: members.map(([member]) => member),
    flags,
    none: flags ? members.find(([, value]) => value === 0)?.[0] : undefined,
  };
}

function readProperty(name: string, member: CsdlNode, types: CsdlTypes): Property {
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
