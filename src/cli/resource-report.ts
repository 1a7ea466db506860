import type { EntitySet, EntityType, NavigationPlace, NavigationProperty, Singleton } from '../model/edm.ts';
import type { Model } from '../model/model.ts';
import type { OperationReader, OperationReport } from './operation-report.ts';

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
  /** Whether it leads to several entities. */
  readonly collection: boolean;
  readonly operations: Operations;
}

/** The operation that does it; undefined where the service cannot. */
export type Operations = Readonly<Partial<Record<Capability, OperationReport | undefined>>>;

export type Capability = 'list' | 'read' | 'insert' | 'update' | 'delete' | 'page' | 'changes';

export function entitySetReport(
  { name, entityType, ...set }: EntitySet,
  read: OperationReader,
): ResourceReport {
  return {
    name,
    entityType: entityType.name,
    key: keyOf(entityType),
    operations: {
      list: read(set.list),
      read: read(set.read),
      insert: read(set.insert),
      update: read(set.update),
      delete: read(set.delete),
      page: read(set.page),
      changes: read(set.changes),
    },
  };
}

export function singletonReport(
  { name, entityType, ...singleton }: Singleton,
  read: OperationReader,
): ResourceReport {
  const operations = { read: read(singleton.read), update: read(singleton.update) };
  return { name, entityType: entityType.name, key: keyOf(entityType), operations };
}

function keyOf({ key, structuralProperties }: EntityType): readonly KeyProperty[] {
  return key.map((name) => ({ name, type: structuralProperties.get(name)?.type.name ?? 'Edm.Untyped' }));
}

/** What is reached by way of other resources only, each path once. */
export function navigationReports(model: Model, read: OperationReader): readonly NavigationReport[] {
  const reports = [...model.entityTypes.values()].flatMap((type) =>
    [...type.navigationProperties.values()].flatMap((property) => placesOf(type, property, read)),
  );
  return [...new Map(reports.map((report) => [report.path, report])).values()];
}

function placesOf(
  type: EntityType,
  property: NavigationProperty,
  read: OperationReader,
): readonly NavigationReport[] {
  const { name, entityType, collection, origin } = property;
  const related = collection ? `Collection(${entityType.name})` : entityType.name;
  switch (origin.kind) {
    case 'embedded':
      return [];
    case 'link':
      return [
        {
          path: `${type.name}/${name}`,
          type: related,
          collection,
          operations: { [collection ? 'list' : 'read']: read(origin.operation) },
        },
      ];
    case 'path':
      return origin.places.map((place) => ({
        path: place.path,
        type: related,
        collection,
        operations: operationsAt(place, read),
      }));
  }
}

function operationsAt(place: NavigationPlace, read: OperationReader): Operations {
  return {
    list: read(place.list),
    read: read(place.read),
    insert: read(place.insert),
    update: read(place.update),
    delete: read(place.delete),
  };
}
