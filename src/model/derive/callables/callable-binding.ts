import { type DocumentNode, member, text } from '../../../openapi/document/document-node.ts';
import { quote } from '../../../openapi/document/document-source.ts';
import { componentName } from '../../../openapi/schemas/schema.ts';
import type { DescribedBinding } from '../../description.ts';
import type { Operation } from '../../operation.ts';
import type { EntityPlan, EntityPlanner } from '../edm-types/entity-plan.ts';
import { meshName } from '../names/mesh-name.ts';
import type { DocumentOperation, PathSegment } from '../operations/document-operation.ts';
import { calling } from '../sets/model-operation.ts';
import { fillParameters, type Place } from '../sets/place.ts';
import type { CallableContext } from './callable-context.ts';

/** What an operation is bound to. */
export interface BoundOperation {
  readonly binding: DescribedBinding;
  readonly filled: Operation;
  /** The path below the entity's own path. */
  readonly below: readonly PathSegment[];
  /** The resource path of the entity; undefined where it is bound wherever the entity is. */
  readonly resource: string | undefined;
}

/** `x-odata.bound`, or the entity whose path leads to the operation's. */
export function bindingOf(
  context: CallableContext,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
): BoundOperation | undefined {
  const said = member(settings, 'bound');
  const isNamed = (member(settings, 'function') ?? member(settings, 'action')) !== undefined;
  if (said !== undefined) return saidBinding(context, operation, said);
  return isNamed ? undefined : placeBinding(context, operation, context.places);
}

function placeBinding(
  { derivation }: CallableContext,
  operation: DocumentOperation,
  places: readonly Place[],
): BoundOperation | undefined {
  const through = places.filter((place) => fillParameters(place, operation) !== undefined);
  const place = through.toSorted((a, b) => b.segments.length - a.segments.length)[0];
  if (place === undefined) return undefined;
  const parameters = fillParameters(place, operation) ?? [];
  return {
    binding: { entityType: place.entity.name, collection: false },
    filled: calling(derivation, operation, parameters),
    below: operation.segments.slice(place.segments.length),
    resource: place.resource,
  };
}

function saidBinding(
  context: CallableContext,
  operation: DocumentOperation,
  said: DocumentNode,
): BoundOperation | undefined {
  const written = text(said) ?? '';
  const inner = /^Collection\((.+)\)$/.exec(written)?.[1];
  const plan = findPlan(context.planner, inner ?? written);
  if (plan === undefined) {
    context.derivation.source.report(
      'error',
      said.pointer,
      `${quote(written)} is no entity type of the model`,
    );
    return undefined;
  }
  const ofType = context.places.filter(({ entity }) => entity.name === plan.name);
  const byPath = inner === undefined ? placeBinding(context, operation, ofType) : undefined;
  const binding = { entityType: plan.name, collection: inner !== undefined };
  if (byPath !== undefined) return { ...byPath, binding };
  const parameters = inner === undefined ? keyByName(plan, operation) : [];
  return {
    binding,
    filled: calling(context.derivation, operation, parameters),
    below: [],
    resource: undefined,
  };
}

/** Parameters of a bound operation, also in its query, that are named like a part of the key. */
function keyByName(plan: EntityPlan, operation: DocumentOperation): Operation['parameters'] {
  return plan.key.flatMap(({ parameter, property }) =>
    operation.parameters
      .filter(({ name }) => name === parameter || name === property.upstreamName)
      .map(({ name }) => ({ name: meshName(name), property: property.name })),
  );
}

function findPlan({ plans }: EntityPlanner, name: string): EntityPlan | undefined {
  return [...plans.values()].find((plan) => plan.name === name || componentName(plan.schema) === name);
}
