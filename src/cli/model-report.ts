import { type OpenApiDocument, own } from '../document/openapi-version.ts';
import type { EntitySet, EntityType, Model, Singleton } from '../model/edm.ts';
import type { Finding } from '../model/from-openapi.ts';
import type { Callable } from '../model/operation.ts';
import type { NavigationPlace, NavigationProperty } from '../model/structured-type.ts';
import type { TypeUse } from '../model/type-use.ts';

import { type OperationReaders, type OperationReport, operationReaders } from './operation-report.ts';

/** What has been made of one document. All names and types are the model's, operations the document's. */
export interface ModelReport {
  readonly file: string;
  readonly openapi: string;
  readonly title: string | undefined;
  readonly version: string | undefined;
  readonly namespace: string;
  readonly container: string;
  readonly entitySets: readonly ResourceReport[];
  readonly singletons: readonly ResourceReport[];
  /** What is reached by way of other resources only, by its path without keys. */
  readonly navigation: readonly NavigationReport[];
  readonly functions: readonly CallableReport[];
  readonly actions: readonly CallableReport[];
  readonly types: TypeCounts;
  readonly findings: readonly Omit<Finding, 'source'>[];
}

export interface ResourceReport {
  readonly name: string;
  readonly entityType: string;
  readonly key: readonly KeyProperty[];
  readonly operations: Operations;
}

/** Property and type, such as `Id` and `Edm.Int32`. */
interface KeyProperty {
  readonly name: string;
  readonly type: string;
}

export interface NavigationReport {
  readonly path: string;
  /** Such as `Collection(Item)`. */
  readonly type: string;
  readonly operations: Operations;
}

export interface CallableReport {
  readonly name: string;
  /** What it is bound to, such as `Collection(Item)`. */
  readonly boundTo: string | undefined;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: string;
    readonly optional: boolean;
  }[];
  readonly returns: string | undefined;
  readonly calls: readonly OperationReport[];
}

/** The operation that does it; undefined where the service cannot. */
export type Operations = Readonly<Partial<Record<Capability, OperationReport | undefined>>>;

export type Capability = 'list' | 'read' | 'insert' | 'update' | 'delete' | 'page' | 'changes';

interface TypeCounts {
  readonly entity: number;
  readonly complex: number;
  readonly enumeration: number;
}

interface Derived {
  readonly file: string;
  /** The name of the source that the document is derived as. */
  readonly name: string;
  readonly document: OpenApiDocument;
  readonly model: Model;
  readonly findings: readonly Finding[];
}

export function modelReport({ file, name, document, model, findings }: Derived): ModelReport {
  const info = own(document, 'info');
  const readers = operationReaders(name, document);
  const callables = (kind: Callable['kind']) =>
    model.callables.filter((callable) => callable.kind === kind).map((each) => callableOf(each, readers));
  return {
    file,
    openapi: String(own(document, 'openapi')),
    title: textOf(own(info, 'title')),
    version: textOf(own(info, 'version')),
    namespace: model.namespace,
    container: model.container,
    entitySets: [...model.entitySets.values()].map((set) => entitySetOf(set, readers)),
    singletons: [...model.singletons.values()].map((singleton) => singletonOf(singleton, readers)),
    navigation: navigationOf(model, readers),
    functions: callables('function'),
    actions: callables('action'),
    types: {
      entity: model.entityTypes.size,
      complex: model.complexTypes.size ?? 0,
      enumeration: model.enumerationTypes.size ?? 0,
    },
    findings: findings.map(({ severity, pointer, message }) => ({ severity, pointer, message })),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function entitySetOf(
  { name, entityType, ...set }: EntitySet,
  { query, mutation }: OperationReaders,
): ResourceReport {
  return {
    name,
    entityType: entityType.name,
    key: keyOf(entityType),
    operations: {
      list: query(set.list),
      read: query(set.read),
      insert: mutation(set.insert),
      update: mutation(set.update),
      delete: mutation(set.delete),
      page: query(set.page),
      changes: query(set.changes),
    },
  };
}

function singletonOf(
  { name, entityType, ...singleton }: Singleton,
  { query, mutation }: OperationReaders,
): ResourceReport {
  const operations = { read: query(singleton.read), update: mutation(singleton.update) };
  return { name, entityType: entityType.name, key: keyOf(entityType), operations };
}

function keyOf({ key, structuralProperties }: EntityType): readonly KeyProperty[] {
  return key.map((name) => ({ name, type: structuralProperties.get(name)?.type.name ?? 'Edm.Untyped' }));
}

function navigationOf(model: Model, readers: OperationReaders): readonly NavigationReport[] {
  const reports = [...model.entityTypes.values()].flatMap((type) =>
    [...type.navigationProperties.values()].flatMap((property) => placesOf(type, property, readers)),
  );
  return [...new Map(reports.map((report) => [report.path, report])).values()];
}

function placesOf(
  type: EntityType,
  property: NavigationProperty,
  readers: OperationReaders,
): readonly NavigationReport[] {
  const { name, entityType, collection, origin } = property;
  const related = collection ? `Collection(${entityType})` : entityType;
  switch (origin.kind) {
    case 'embedded':
      return [];
    case 'link':
      return [
        {
          path: `${type.name}/${name}`,
          type: related,
          operations: { list: readers.query(origin.operation) },
        },
      ];
    case 'path':
      return origin.places.map((place) => ({
        path: place.path,
        type: related,
        operations: operationsAt(place, readers),
      }));
  }
}

function operationsAt(place: NavigationPlace, { query, mutation }: OperationReaders): Operations {
  return {
    list: query(place.list),
    read: query(place.read),
    insert: mutation(place.insert),
    update: mutation(place.update),
    delete: mutation(place.delete),
  };
}

function callableOf(callable: Callable, readers: OperationReaders): CallableReport {
  const { kind, name, binding, parameters, returns, calls } = callable;
  const read = kind === 'function' ? readers.query : readers.mutation;
  return {
    name,
    boundTo: binding && (binding.collection ? `Collection(${binding.entityType})` : binding.entityType),
    parameters: parameters.map((each) => ({
      name: each.name,
      type: writeType(each),
      optional: each.optional,
    })),
    returns: returns && writeType(returns),
    calls: calls.flatMap(({ operation }) => read(operation) ?? []),
  };
}

function writeType({ type, collection }: TypeUse): string {
  return collection ? `Collection(${type.name})` : type.name;
}
