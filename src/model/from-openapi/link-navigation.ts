import type { OperationParameter } from '../operation.ts';
import type { ReferentialConstraint } from '../structured-type.ts';
import type { Derivation } from './derivation.ts';
import { type DocumentNode, member, members, nodeAt, text } from './document-node.ts';
import type { DocumentOperation } from './document-operation.ts';
import { quote, resolve } from './document-source.ts';
import type { EntityPlan } from './entity-plan.ts';
import { type ListAnswer, listAnswer } from './list-answer.ts';
import { meshName } from './mesh-name.ts';
import { pascalCase } from './names.ts';

/** An entity set as far as links lead to it. */
export interface LinkTarget {
  readonly set: string;
  readonly entity: EntityPlan;
  readonly list: DocumentOperation | undefined;
  readonly read: DocumentOperation | undefined;
}

/** A navigation property that a response link makes. */
export interface LinkNavigation {
  /** The identity of the schema whose type has it. */
  readonly owner: string;
  readonly name: string;
  /** The link's name in the mesh. */
  readonly link: string;
  readonly description: string | undefined;
  readonly target: LinkTarget;
  readonly collection: boolean;
  readonly operation: DocumentOperation;
  readonly list: ListAnswer | undefined;
  readonly parameters: readonly OperationParameter[];
  readonly constraints: readonly ReferentialConstraint[];
  readonly at: DocumentNode;
}

/** The navigation properties that the links of an entity's read make (design, section 3). */
export function findLinkNavigations(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  targets: readonly LinkTarget[],
): readonly LinkNavigation[] {
  return targets.flatMap((from) =>
    members(member(from.read?.response, 'links')).flatMap(([name, written]) => {
      const node = resolve(derivation.source, written);
      const link = node && linkNavigation(derivation, operations, targets, from, name, node);
      return link ?? [];
    }),
  );
}

function linkNavigation(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  targets: readonly LinkTarget[],
  from: LinkTarget,
  link: string,
  node: DocumentNode,
): LinkNavigation | undefined {
  const operation = linkedOperation(derivation, operations, node);
  const target = targets.find(
    ({ list, read }) => operation !== undefined && (list === operation || read === operation),
  );
  const name = pascalCase(link);
  if (operation === undefined || target === undefined || name === undefined) {
    derivation.source.report('info', node.pointer, 'The link leads to no entities of a set: it is left out');
    return undefined;
  }
  const filled = members(member(node, 'parameters')).map(([parameter, value]) => ({
    parameter: parameter.replace(/^(?:path|query|header|cookie)\./, ''),
    property: sourceProperty(from, text(value) ?? ''),
    value,
  }));
  const unfit = filled.find(({ property }) => property === undefined);
  if (unfit !== undefined || filled.length === 0) {
    const at = unfit?.value ?? node;
    derivation.source.report(
      'warning',
      at.pointer,
      `The link is left out: ${quote(unfit?.value.value)} is no property`,
    );
    return undefined;
  }
  const parameters = filled.flatMap(({ parameter, property }) =>
    property === undefined ? [] : [{ name: meshName(parameter), property }],
  );
  const collection = target.list === operation;
  return {
    owner: from.entity.schema.identity,
    name,
    link: meshName(link),
    description: text(member(node, 'description')),
    target,
    collection,
    operation,
    list: collection ? listAnswer(derivation, operation) : undefined,
    parameters,
    constraints: collection ? [] : constraints(target, parameters),
    at: node,
  };
}

function linkedOperation(
  { source }: Derivation,
  operations: readonly DocumentOperation[],
  node: DocumentNode,
): DocumentOperation | undefined {
  const id = text(member(node, 'operationId'));
  if (id !== undefined) return operations.find(({ operationId }) => operationId === id);
  const reference = text(member(node, 'operationRef')) ?? '';
  const pointer = reference.startsWith('#') ? nodeAt(source.root, reference.slice(1))?.pointer : undefined;
  return operations.find((operation) => operation.node.pointer === pointer);
}

/** `$response.body#/userId` is a property, `$request.path.id` the one of the key that fills the parameter. */
function sourceProperty({ entity }: LinkTarget, expression: string): string | undefined {
  const body = /^\$response\.body#\/([^/]+)$/.exec(expression)?.[1];
  const path = /^\$request\.path\.(.+)$/.exec(expression)?.[1];
  const inBody = entity.properties.find(({ upstreamName }) => upstreamName === body);
  return (inBody ?? entity.key.find(({ parameter }) => parameter === path && path !== undefined)?.property)
    ?.name;
}

function constraints(
  { entity }: LinkTarget,
  parameters: readonly OperationParameter[],
): readonly ReferentialConstraint[] {
  return parameters.flatMap(({ name, property }) => {
    const part = entity.key.find(({ parameter }) => parameter !== undefined && meshName(parameter) === name);
    return part === undefined ? [] : [{ property, referencedProperty: part.property.name }];
  });
}
