import { type DocumentNode, member, members, nodeAt, text } from '../../../openapi/document/document-node.ts';
import { quote, resolve } from '../../../openapi/document/document-source.ts';
import type { ReferentialConstraint } from '../../edm.ts';
import { pascalCase } from '../../names.ts';
import type { OperationParameter } from '../../operation.ts';
import { type ListAnswer, listAnswer } from '../answers/list-answer.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import { meshName } from '../names/mesh-name.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';

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
  /** Its name, and the one that it has where another property has that. */
  readonly names: NameChoice;
  /** The link's name in the mesh. */
  readonly link: string;
  readonly description: string | undefined;
  readonly target: LinkTarget;
  readonly collection: boolean;
  readonly operation: DocumentOperation;
  readonly list: ListAnswer | undefined;
  readonly parameters: readonly OperationParameter[];
  readonly constraints: readonly ReferentialConstraint[];
}

/** The navigation properties that the links of an entity's read make. */
export function findLinkNavigations(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  targets: readonly LinkTarget[],
): readonly LinkNavigation[] {
  return targets.flatMap((from) =>
    members(member(from.read?.response, 'links')).flatMap(([link, written]) => {
      const node = resolve(derivation.source, written);
      const operation = node && linkedOperation(derivation, operations, node);
      if (node === undefined) return [];
      const target = targets.find(
        ({ list, read }) => operation !== undefined && [list, read].includes(operation),
      );
      const name = pascalCase(link);
      if (operation === undefined || target === undefined || name === undefined) {
        const message = 'The link leads to no entities of a set: it is left out';
        derivation.source.report('info', node.pointer, message);
        return [];
      }
      const parameters = linkParameters(derivation, from, node);
      if (parameters === undefined) return [];
      const collection = target.list === operation;
      return {
        owner: from.entity.schema.identity,
        names: [name, pascalCase(`${name} ${target.set}`) ?? name],
        link: meshName(link),
        description: text(member(node, 'description')),
        target,
        collection,
        operation,
        list: collection ? listAnswer(derivation, operation) : undefined,
        parameters,
        constraints: collection ? [] : constraints(target, parameters),
      };
    }),
  );
}

/** The parameters that a link fills, each with a property; undefined, and reported, where it has another value. */
function linkParameters(
  { source }: Derivation,
  from: LinkTarget,
  node: DocumentNode,
): readonly OperationParameter[] | undefined {
  const filled = members(member(node, 'parameters')).map(([parameter, value]) => ({
    name: meshName(parameter.replace(/^(?:path|query|header|cookie)\./, '')),
    property: sourceProperty(from, text(value) ?? ''),
    value,
  }));
  const unfit = filled.find(({ property }) => property === undefined);
  if (unfit === undefined && filled.length > 0) {
    return filled.flatMap(({ name, property }) => (property === undefined ? [] : [{ name, property }]));
  }
  const message = `The link is left out: ${quote(unfit?.value.value)} is no property`;
  source.report('warning', (unfit?.value ?? node).pointer, message);
  return undefined;
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
