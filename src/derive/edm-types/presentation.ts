import type {
  DescribedComplexType,
  DescribedEntityType,
  DescribedStructuredType,
} from '../../model/description.ts';
import type { DeclaredPresentation } from '../../model/edm.ts';
import { byName } from '../../model/maps.ts';
import {
  type DocumentNode,
  items,
  member,
  members,
  prose,
  text,
} from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import { ownSetting } from '../../openapi/schemas/schema.ts';
import { partNamed } from '../names/part-named.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { EntityPlans } from './entity-plan.ts';

/** Maximum number of names in a path. */
const DEEPEST = 8;

type Types = ReadonlyMap<string, DescribedStructuredType>;

/** The types with what their schemas declare in `x-odata.ui`; paths that lead to no single value are reported. */
export function withPresentations(
  derivation: Derivation,
  plans: EntityPlans,
  entityTypes: ReadonlyMap<string, DescribedEntityType>,
  complexTypes: readonly DescribedComplexType[],
): ReadonlyMap<string, DescribedEntityType> {
  const types = new Map<string, DescribedStructuredType>([...byName(complexTypes), ...entityTypes]);
  const declared = new Map(
    [...plans.values()].flatMap(({ name, schema }) => {
      const ui = ownSetting(schema, 'ui');
      const type = entityTypes.get(name);
      if (ui === undefined || type === undefined) return [];
      return [[name, { ...type, presentation: presentation(derivation, types, type, ui) }] as const];
    }),
  );
  return declared.size === 0 ? entityTypes : new Map([...entityTypes, ...declared]);
}

function presentation(
  { source }: Derivation,
  types: Types,
  type: DescribedEntityType,
  ui: DocumentNode,
): DeclaredPresentation {
  const path = (node: DocumentNode | undefined): string | undefined => {
    const wanted = text(node);
    const found = wanted === undefined ? undefined : modelPath(types, type, wanted.split('/', DEEPEST + 1));
    if (node !== undefined && wanted !== undefined && found === undefined)
      source.report('error', node.pointer, `${quote(wanted)} leads to no single value of ${type.name}`);
    return found;
  };
  const paths = (node: DocumentNode | undefined) =>
    node === undefined ? undefined : items(node).flatMap((item) => path(item) ?? []);
  const groups = members(member(ui, 'groups')).map(([label, node]) => [label, paths(node) ?? []] as const);
  const texts = members(member(ui, 'texts')).flatMap(([property, node]) => {
    const [own, target] = [path({ ...node, value: property }), path(node)];
    return own === undefined || target === undefined ? [] : [[own, target] as const];
  });
  return {
    plural: prose(member(ui, 'plural'))?.trim(),
    title: path(member(ui, 'title')),
    description: path(member(ui, 'description')),
    columns: paths(member(ui, 'columns')),
    filters: paths(member(ui, 'filters')),
    groups: groups.length === 0 ? undefined : new Map(groups),
    texts: texts.length === 0 ? undefined : new Map(texts),
  };
}

/** The path in the model of a value that may be within complex values and single related entities. */
function modelPath(
  types: Types,
  { structuralProperties, navigationProperties }: DescribedStructuredType,
  [first = '', ...deeper]: readonly string[],
): string | undefined {
  if (deeper.length >= DEEPEST) return undefined;
  const property = partNamed([...structuralProperties.values()], first);
  if (property !== undefined) {
    if (property.collection) return undefined;
    if (deeper.length === 0) return property.type.kind === 'complex' ? undefined : property.name;
    return within(types, property.name, property.type.kind === 'complex' ? property.type.name : '', deeper);
  }
  const navigation = navigationProperties.get(first);
  if (navigation === undefined || navigation.collection) return undefined;
  return within(types, navigation.name, navigation.entityType, deeper);
}

function within(types: Types, name: string, type: string, deeper: readonly string[]): string | undefined {
  const next = types.get(type);
  const path = next && modelPath(types, next, deeper);
  return path === undefined ? undefined : `${name}/${path}`;
}
