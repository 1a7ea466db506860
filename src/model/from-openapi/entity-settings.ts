import type { EntityType } from '../edm.ts';
import type { Operation, PagedListOperation } from '../operation.ts';
import type { StreamOperations, StructuralProperty } from '../structured-type.ts';
import type { Derivation } from './derivation.ts';
import { type DocumentNode, isTrue, items, member, members, text } from './document-node.ts';
import type { DocumentOperation } from './document-operation.ts';
import { quote } from './document-source.ts';
import type { EntityPlan } from './entity-plan.ts';
import { listAnswer } from './list-answer.ts';
import { meshName } from './mesh-name.ts';
import { calling, keyParameters } from './model-operation.ts';
import { isModelName, styleless } from './names.ts';
import { type Schema, setting } from './schema.ts';

/** Where operations are found that `x-odata` names by their ids. */
export interface NamedOperations {
  readonly derivation: Derivation;
  readonly operations: readonly DocumentOperation[];
  readonly used: Set<DocumentOperation>;
}

function operationNamed(
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
): Pick<EntityType, 'etag' | 'stream' | 'streams'> {
  const { schema } = plan;
  const stream = setting(schema, 'stream');
  const streams = items(setting(schema, 'streams')).flatMap((node) => {
    const name = text(member(node, 'name'));
    return name !== undefined && isModelName(name)
      ? [[name, streamOperations(named, plan, node)] as const]
      : [];
  });
  return {
    etag: propertyNamed(named.derivation, plan, setting(schema, 'etag')),
    stream:
      isTrue(setting(schema, 'hasStream')) || stream !== undefined
        ? streamOperations(named, plan, stream)
        : undefined,
    streams: new Map(streams),
  };
}

function streamOperations(
  named: NamedOperations,
  plan: EntityPlan,
  node: DocumentNode | undefined,
): StreamOperations {
  const called = (method: string): Operation | undefined => {
    const operation = operationNamed(named, member(node, method));
    return operation && calling(named.derivation, operation, keyParameters(plan.key));
  };
  return {
    get: called('get'),
    put: called('put'),
    delete: called('delete'),
    contentType: propertyNamed(named.derivation, plan, member(node, 'contentType')),
  };
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
export function streamProperty(name: string, deletable: boolean): StructuralProperty {
  return {
    name,
    upstreamName: name,
    upstreamTypes: [],
    type: { kind: 'primitive', name: 'Edm.Stream' },
    collection: false,
    nullable: deletable,
    facets: {},
    description: undefined,
    defaultValue: undefined,
    computed: false,
    writeOnly: false,
    immutable: false,
    deprecated: false,
    searchable: undefined,
    mediaType: undefined,
  };
}

/** The operation of a set that tells what has changed. */
export function changesOperation(named: NamedOperations, schema: Schema): Operation | undefined {
  const operation = operationNamed(named, setting(schema, 'changes'));
  return operation && calling(named.derivation, operation, []);
}

/** The paged list of the entity set of that name (`x-odata.pageOf`). */
export function pagedList(
  named: NamedOperations,
  plan: EntityPlan,
  set: string,
): PagedListOperation | undefined {
  const operation = named.operations.find(
    ({ node }) => text(member(member(node, 'x-odata'), 'pageOf')) === set,
  );
  if (operation === undefined) return undefined;
  named.used.add(operation);
  const settings = member(operation.node, 'x-odata');
  const parameter = (key: string) => parameterNamed(named.derivation, operation, member(settings, key));
  const filters = members(member(settings, 'filters')).flatMap(([property, node]) => {
    const name = propertyNamed(named.derivation, plan, { ...node, value: property });
    const filter = parameterNamed(named.derivation, operation, node);
    return name === undefined || filter === undefined ? [] : [[name, filter] as const];
  });
  return {
    ...calling(named.derivation, operation, []),
    wrappedIn: text(member(settings, 'items')) ?? listAnswer(named.derivation, operation)?.wrappedIn,
    total: text(member(settings, 'total')),
    top: parameter('top'),
    skip: parameter('skip'),
    orderBy: parameter('orderBy'),
    filters: new Map(filters),
  };
}

function parameterNamed(
  { source }: Derivation,
  operation: DocumentOperation,
  node: DocumentNode | undefined,
): string | undefined {
  if (node === undefined) return undefined;
  const name = text(node);
  const parameter = operation.parameters.find((candidate) => candidate.name === name);
  if (parameter === undefined) {
    source.report('error', node.pointer, `The operation has no parameter ${quote(node.value)}`);
  }
  return parameter && meshName(parameter.name);
}
