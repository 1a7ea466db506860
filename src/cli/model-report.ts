import type { Finding } from '../derive/model-from-openapi.ts';
import type { DocumentOperation } from '../derive/operations/document-operation.ts';
import { namedOperations } from '../derive/samples/operation-names.ts';
import type {
  Callable,
  EntitySet,
  EntityType,
  NavigationPlace,
  NavigationProperty,
  Singleton,
  TypeUse,
} from '../model/edm.ts';
import type { Model } from '../model/model.ts';
import type { Operation } from '../model/operation.ts';
import { documentSource } from '../openapi/document/document-source.ts';
import { asWritten } from '../openapi/document/written-place.ts';
import { own } from '../openapi/parse/openapi-version.ts';
import type { CredentialsReport } from '../project/plan/credentials.ts';
import type { Derivation, DerivedSource } from './derive-model.ts';

/**
 * A report on the model of documents. Names and types are those of the model, operations those of the
 * documents.
 */
export interface ModelReport {
  readonly sources: readonly SourceReport[];
  readonly namespaces: readonly string[];
  readonly container: string;
  readonly types: TypeCounts;
  readonly entitySets: readonly ResourceReport[];
  readonly singletons: readonly ResourceReport[];
  /** Resources that are reached only through others, by their path without keys. */
  readonly navigation: readonly NavigationReport[];
  readonly functions: readonly CallableReport[];
  readonly actions: readonly CallableReport[];
  readonly findings: readonly FindingReport[];
}

export interface SourceReport extends CredentialsReport {
  readonly name: string;
  readonly file: string;
  readonly openapi: string;
  readonly title: string | undefined;
  readonly version: string | undefined;
}

interface TypeCounts {
  readonly entity: number;
  readonly complex: number;
  readonly enumeration: number;
  /**
   * The number of type definitions: primitive types with limits, such as a string of at most 3 characters.
   */
  readonly definition: number;
}

export interface FindingReport {
  readonly severity: Finding['severity'];
  /** The file of the document, if there are several, or a note that the position is in the overlay. */
  readonly file: string | undefined;
  readonly pointer: string;
  readonly message: string;
  /** Common to findings of the same kind. */
  readonly rule?: string | undefined;
}

export function modelReport({ sources, model, lists, findings }: Derivation): ModelReport {
  const keyRules = new Map(lists.map(({ resource, keyRule }) => [resource, keyRule]));
  const read = operationReader(sources);
  const callables = (kind: Callable['kind']) =>
    model.callables
      .filter((callable) => callable.kind === kind)
      .map((callable) => callableReport(callable, read));
  return {
    sources: sources.map(sourceReport),
    namespaces: namespacesOf(model),
    container: model.container,
    types: {
      entity: model.entityTypes.size,
      complex: model.complexTypes.size,
      enumeration: model.enumerationTypes.size,
      definition: model.typeDefinitions.size,
    },
    entitySets: [...model.entitySets.values()].map((set) =>
      entitySetReport(set, keyRules.get(set.name), read),
    ),
    singletons: [...model.singletons.values()].map((singleton) => singletonReport(singleton, read)),
    navigation: navigationReports(model, read),
    functions: callables('function'),
    actions: callables('action'),
    findings: findingReports(findings, sources),
  };
}

/** Findings name a file only if there are several. */
export function findingReports(
  findings: readonly Finding[],
  sources: readonly DerivedSource[],
): readonly FindingReport[] {
  const known = new Map(sources.map((source) => [source.name, source]));
  return findings.map(({ severity, source, pointer: read, message, rule }) => {
    const found = known.get(source);
    const { file, pointer } = (found?.description.placeOf ?? asWritten)(read);
    const overlay = file === 'overlay' ? found?.description.overlay : undefined;
    const named = overlay ?? (sources.length > 1 ? found?.file : undefined);
    return { severity, file: named, pointer, message, ...(rule !== undefined && { rule }) };
  });
}

function sourceReport({ name, file, description, credentials }: DerivedSource): SourceReport {
  const { document, original } = description;
  const info = own(document, 'info');
  return {
    name,
    file,
    // Swagger 2.0 is OpenAPI 2.0.
    openapi: document === original.document ? String(own(document, 'openapi')) : '2.0',
    title: textOf(own(info, 'title')),
    version: textOf(own(info, 'version')),
    ...credentials,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The namespaces, that of the container first. */
function namespacesOf(model: Model): readonly string[] {
  const { entityTypes, complexTypes, enumerationTypes, typeDefinitions, callables } = model;
  const types = [entityTypes, complexTypes, enumerationTypes, typeDefinitions].flatMap((each) => [
    ...each.values(),
  ]);
  return [...new Set([model.namespace, ...[...types, ...callables].map(({ namespace }) => namespace)])];
}

export interface ResourceReport {
  readonly name: string;
  readonly entityType: string;
  readonly key: readonly KeyProperty[];
  /** The convention that found the key, as in `docs/x-odata.md`; undefined for anything but a list. */
  readonly keyRule?: string | undefined;
  readonly operations: Operations;
}

/** Name and type, such as `Id` and `Edm.Int32`. */
interface KeyProperty {
  readonly name: string;
  readonly type: string;
}

export interface NavigationReport {
  readonly path: string;
  /** The type in CSDL notation, such as `Collection(Item)`. */
  readonly type: string;
  /** True if the property is collection-valued. */
  readonly collection: boolean;
  /** For a relation by a key or a link: the properties that are equal, and where the document says so. */
  readonly by?: string | undefined;
  readonly operations: Operations;
}

/** The operation for each capability; undefined if it is not supported. */
export type Operations = Readonly<Partial<Record<Capability, OperationReport | undefined>>>;

export type Capability = 'list' | 'read' | 'insert' | 'update' | 'delete' | 'page' | 'changes';

function entitySetReport(
  { name, entityType, ...set }: EntitySet,
  keyRule: string | undefined,
  read: OperationReader,
): ResourceReport {
  return {
    name,
    entityType: entityType.name,
    key: keyOf(entityType),
    ...(keyRule !== undefined && { keyRule }),
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

function singletonReport(
  { name, entityType, ...singleton }: Singleton,
  read: OperationReader,
): ResourceReport {
  const operations = { read: read(singleton.read), update: read(singleton.update) };
  return { name, entityType: entityType.name, key: keyOf(entityType), operations };
}

function keyOf({ key, structuralProperties }: EntityType): readonly KeyProperty[] {
  return key.map((name) => ({ name, type: structuralProperties.get(name)?.type.name ?? 'Edm.Untyped' }));
}

/** Resources that are reached only through others, each path once. */
function navigationReports(model: Model, read: OperationReader): readonly NavigationReport[] {
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
          ...keyReport(type, property),
          operations: { [collection ? 'list' : 'read']: read(origin.operation) },
        },
      ];
    case 'referring': {
      const operations = { list: read(property.target?.list) };
      const path = `${type.name}/${name}`;
      return [{ path, type: related, collection, ...keyReport(type, property), operations }];
    }
    case 'path':
      return origin.places.map((place) => ({
        path: place.path,
        type: related,
        collection,
        operations: operationsAt(place, read),
      }));
  }
}

function keyReport(
  type: EntityType,
  { constraints, origin, partner, foundBy = partner?.foundBy }: NavigationProperty,
): Pick<NavigationReport, 'by'> {
  const pathOf = (owner: EntityType, name: string): string =>
    owner.structuralProperties.get(name)?.aliasOf?.join('/') ?? name;
  const pairs = constraints.map(
    ({ property, referencedProperty }) => `${pathOf(type, property)} = ${referencedProperty}`,
  );
  const back = origin.kind === 'referring' ? [`key in ${origin.foreignKey.property}`] : [];
  const equal = (pairs.length > 0 ? pairs : back).join(', ');
  const by = [equal, foundBy].filter((each) => each !== undefined && each !== '').join(': ');
  return by === '' ? {} : { by };
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

export interface CallableReport {
  readonly name: string;
  /** The binding parameter's type, such as `Collection(Item)`. */
  readonly boundTo: string | undefined;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: string;
    readonly optional: boolean;
  }[];
  readonly returns: string | undefined;
  readonly calls: readonly OperationReport[];
}

function callableReport(callable: Callable, read: OperationReader): CallableReport {
  const { name, binding, parameters, returns, calls } = callable;
  return {
    name,
    boundTo:
      binding && (binding.collection ? `Collection(${binding.entityType.name})` : binding.entityType.name),
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

/** An operation of a document. */
export interface OperationReport {
  /** The document's operation id; the name in the mesh without one. */
  readonly operationId: string;
  /** In upper case, such as `GET`. */
  readonly method: string;
  readonly path: string;
  /** The source of the operation, if there are several. */
  readonly source: string | undefined;
}

/** Finds the document's operation for an operation of the model. */
type OperationReader = (operation: Operation | undefined) => OperationReport | undefined;

function operationReader(sources: readonly DerivedSource[]): OperationReader {
  const named = namedOperations(
    sources.map(({ name, description }) => documentSource(name, description.document)),
  );
  const reports = new Map(
    [...named].flatMap(([source, operations]) =>
      operations.map((operation) => [
        operation.id,
        reportOf(operation, sources.length > 1 ? source.name : undefined),
      ]),
    ),
  );
  return (operation) => operation && reports.get(operation.id);
}

function reportOf(
  { id, operationId = id, method, path }: DocumentOperation,
  source: string | undefined,
): OperationReport {
  return { operationId, method: method.toUpperCase(), path, source };
}
