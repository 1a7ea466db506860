import {
  doTypesOverlap,
  type FieldNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isTypeSubTypeOf,
  Kind,
  type SelectionNode,
} from 'graphql';
import type { Input, RequestedDocument } from '../context/graphql-context.ts';

/** A selected field with its arguments. */
export interface RequestedField {
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  readonly args: Input;
}

/** The selected fields below the nodes, including those in fragments; may contain duplicates. */
export function requestedFields(
  requested: RequestedDocument,
  type: GraphQLNamedType,
  nodes: readonly FieldNode[],
): readonly RequestedField[] {
  const found: RequestedField[] = [];
  const visited = new Set<string>();
  const visit = (of: GraphQLNamedType, selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (!isIncluded(requested, selection)) continue;
      if (selection.kind === Kind.FIELD) {
        add(of, selection);
        continue;
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : requested.fragments[selection.name.value];
      if (fragment === undefined) continue;
      const type = narrowed(requested, of, fragment.typeCondition?.name.value);
      if (type === undefined) continue;
      if (fragment.kind === Kind.FRAGMENT_DEFINITION) {
        const spread = `${type.name} ${fragment.name.value}`;
        if (visited.has(spread)) continue;
        visited.add(spread);
      }
      visit(type, fragment.selectionSet.selections);
    }
  };
  const add = (of: GraphQLNamedType, node: FieldNode): void => {
    if (!isObjectType(of) && !isInterfaceType(of)) return;
    const field = of.getFields()[node.name.value];
    if (field === undefined) return;
    found.push({ field, node, args: getArgumentValues(field, node, requested.variableValues) });
  };
  for (const node of nodes) visit(type, node.selectionSet?.selections ?? []);
  return found;
}

export function typeOfField({ field }: RequestedField): GraphQLNamedType {
  return getNamedType(field.type);
}

/** The more specific one of the type and the fragment's; undefined if no value has both. */
function narrowed(
  { schema }: RequestedDocument,
  type: GraphQLNamedType,
  condition: string | undefined,
): GraphQLNamedType | undefined {
  const other = condition === undefined ? undefined : schema.getType(condition);
  if (!isCompositeType(other) || !isCompositeType(type) || isTypeSubTypeOf(schema, type, other)) return type;
  return doTypesOverlap(schema, type, other) ? other : undefined;
}

/** GraphQL, 3.13.1 and 3.13.2. */
function isIncluded({ variableValues }: RequestedDocument, node: SelectionNode): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false;
}
