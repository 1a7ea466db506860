import { type DocumentNode, items, member, members, text } from '../../../openapi/document/document-node.ts';
import { quote } from '../../../openapi/document/document-source.ts';
import { isMediaSchema, setting } from '../../../openapi/schemas/schema.ts';
import type { DescribedEntityType, DescribedStructuralProperty } from '../../description.ts';
import type { StreamOperations } from '../../edm.ts';
import { isModelName, styleless } from '../../names.ts';
import type { Operation, OperationParameter, PagedListOperation } from '../../operation.ts';
import type { GivenParameter } from '../../paging.ts';
import { plainProperty } from '../../plain-property.ts';
import { givenParameter } from '../answers/given-parameter.ts';
import { listAnswer } from '../answers/list-answer.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import { meshName } from '../names/mesh-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { type DocumentOperation, pathParameters } from '../operations/document-operation.ts';
import type { DocumentParameter } from '../operations/document-parameter.ts';
import { takenMedia } from '../operations/request-body.ts';
import { calling, listing } from './model-operation.ts';

/** Where operations are found that `x-odata` names by their ids. */
export interface NamedOperations {
  readonly derivation: Derivation;
  readonly operations: readonly DocumentOperation[];
  readonly used: Set<DocumentOperation>;
  /** Those that say of which entity set they are the list in pages (`x-odata.pageOf`), by its name. */
  readonly pages: ReadonlyMap<string, DocumentOperation>;
}

/** The first operation for each name. */
export function pagesBySet(operations: readonly DocumentOperation[]): ReadonlyMap<string, DocumentOperation> {
  const said = operations.flatMap((operation) => {
    const set = text(member(member(operation.node, 'x-odata'), 'pageOf'));
    return set === undefined ? [] : [[set, operation] as const];
  });
  return new Map(said.toReversed());
}

export function operationNamed(
  named: NamedOperations,
  node: DocumentNode | undefined,
): DocumentOperation | undefined {
  if (node === undefined) return undefined;
  const id = text(node);
  const operation = named.operations.find(({ operationId }) => operationId === id);
  if (operation === undefined) {
    named.derivation.source.report('error', node.pointer, `No operation has the id ${quote(node.value)}`);
    return undefined;
  }
  named.used.add(operation);
  return operation;
}

/** What `x-odata` says of an entity type beyond its properties: ETag, media stream, stream properties. */
export function entitySettings(
  named: NamedOperations,
  plan: EntityPlan,
): Pick<DescribedEntityType, 'alternateKeys' | 'etag' | 'stream' | 'streams'> {
  const { schema } = plan;
  const stream = setting(schema, 'stream');
  const streams = items(setting(schema, 'streams')).flatMap((node) => {
    const name = text(member(node, 'name'));
    return name !== undefined && isModelName(name)
      ? [[name, streamOperations(named, plan, node)] as const]
      : [];
  });
  return {
    alternateKeys: alternateKeys(named.derivation, plan),
    etag: propertyNamed(named.derivation, plan, setting(schema, 'etag')),
    stream: isMediaSchema(schema) ? streamOperations(named, plan, stream) : undefined,
    streams: new Map(streams),
  };
}

/** `x-odata.alternateKeys`; undefined where there are none. What names no property has been reported. */
function alternateKeys(derivation: Derivation, plan: EntityPlan): DescribedEntityType['alternateKeys'] {
  const keys = items(setting(plan.schema, 'alternateKeys')).map((node) =>
    items(node).map((part) => propertyNamed(derivation, plan, part)),
  );
  const whole = keys.flatMap((parts) => {
    const names = parts.filter((name) => name !== undefined);
    return names.length > 0 && names.length === parts.length ? [names] : [];
  });
  return whole.length > 0 ? whole : undefined;
}

function streamOperations(
  named: NamedOperations,
  plan: EntityPlan,
  node: DocumentNode | undefined,
): StreamOperations {
  const { derivation } = named;
  const found = (method: string) => operationNamed(named, member(node, method));
  const called = (operation: DocumentOperation | undefined): Operation | undefined => {
    const parameters = operation && streamParameters(derivation, operation, plan);
    return operation && parameters && calling(derivation, operation, parameters);
  };
  const put = found('put');
  return {
    get: called(found('get')),
    put: called(put),
    delete: called(found('delete')),
    mediaTypes: put && takenMedia(derivation, put),
    contentType: propertyNamed(derivation, plan, member(node, 'contentType')),
    etag: propertyNamed(derivation, plan, member(node, 'etag')),
  };
}

/** The key fills the path: by the names that the read of the entity has, or by those of the properties. */
function streamParameters(
  { source }: Derivation,
  operation: DocumentOperation,
  { key, name }: EntityPlan,
): readonly OperationParameter[] | undefined {
  const filled = pathParameters(operation).map((wanted): OperationParameter | undefined => {
    const part =
      key.find(({ parameter }) => parameter === wanted.name) ??
      key.find(({ property }) => styleless(property.upstreamName) === styleless(wanted.name)) ??
      (key.length === 1 && pathParameters(operation).length === 1 ? key[0] : undefined);
    return part && { name: meshName(wanted.name), property: part.property.name };
  });
  const parameters = filled.filter((parameter) => parameter !== undefined);
  if (parameters.length === filled.length) return parameters;
  const message = `It is not served as a stream: the key of ${name} does not fill the parameters of its path`;
  source.report('error', operation.node.pointer, message);
  return undefined;
}

function propertyNamed(
  { source }: Derivation,
  plan: EntityPlan,
  node: DocumentNode | undefined,
): string | undefined {
  const wanted = text(node);
  if (node === undefined || wanted === undefined) return undefined;
  const found = plan.properties.find(
    ({ name, upstreamName }) => name === wanted || styleless(upstreamName) === styleless(wanted),
  );
  if (found === undefined)
    source.report('error', node.pointer, `${quote(wanted)} is no property of ${plan.name}`);
  return found?.name;
}

/** A property of type Edm.Stream (CSDL 4.01, 7): it has a place of its own, nothing in the entity's JSON. */
export function streamProperty(name: string, deletable: boolean): DescribedStructuralProperty {
  const type = { kind: 'primitive', name: 'Edm.Stream' } as const;
  return { ...plainProperty(name, { type, collection: false }), nullable: deletable };
}

/** The paged list of the entity set of that name (`x-odata.pageOf`). */
export function pagedList(
  named: NamedOperations,
  plan: EntityPlan,
  set: string,
): PagedListOperation | undefined {
  const operation = named.pages.get(set);
  if (operation === undefined) return undefined;
  named.used.add(operation);
  const settings = member(operation.node, 'x-odata');
  const list = listAnswer(named.derivation, operation);
  const given = (node: DocumentNode | undefined): GivenParameter | undefined => {
    const parameter = parameterNamed(named.derivation, operation, node);
    return parameter && givenParameter(named.derivation, parameter);
  };
  const filters = members(member(settings, 'filters')).flatMap(([property, node]) => {
    const name = propertyNamed(named.derivation, plan, { ...node, value: property });
    const filter = given(node);
    return name === undefined || filter === undefined ? [] : [[name, filter] as const];
  });
  return {
    ...(list === undefined
      ? calling(named.derivation, operation, [])
      : listing(named.derivation, list, [], plan)),
    orderBy: given(member(settings, 'orderBy')),
    filters: new Map(filters),
  };
}

export function parameterNamed(
  { source }: Derivation,
  operation: DocumentOperation,
  node: DocumentNode | undefined,
): DocumentParameter | undefined {
  if (node === undefined) return undefined;
  const name = text(node);
  const parameter = operation.parameters.find((candidate) => candidate.name === name);
  if (parameter === undefined) {
    source.report('error', node.pointer, `The operation has no parameter ${quote(node.value)}`);
  }
  return parameter;
}
