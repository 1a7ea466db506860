import {
  type FieldNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isInterfaceType,
  isObjectType,
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
      if (selection.kind === Kind.FIELD) add(of, selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        visit(
          narrowed(requested, of, selection.typeCondition?.name.value),
          selection.selectionSet.selections,
        );
      } else {
        const fragment = requested.fragments[selection.name.value];
        if (fragment === undefined || visited.has(fragment.name.value)) continue;
        visited.add(fragment.name.value);
        visit(narrowed(requested, of, fragment.typeCondition.name.value), fragment.selectionSet.selections);
      }
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

function narrowed(
  { schema }: RequestedDocument,
  type: GraphQLNamedType,
  condition: string | undefined,
): GraphQLNamedType {
  return (condition === undefined ? undefined : schema.getType(condition)) ?? type;
}

/** GraphQL, 3.13.1 and 3.13.2. */
function isIncluded({ variableValues }: RequestedDocument, node: SelectionNode): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false;
}
