import type { Finding } from '../model/derive/model-from-openapi.ts';
import type { Callable } from '../model/edm.ts';
import type { Model } from '../model/model.ts';
import { asWritten } from '../openapi/document/written-place.ts';
import { own } from '../openapi/parse/openapi-version.ts';
import type { CredentialsReport } from '../project/plan/credentials.ts';
import { type CallableReport, callableReport } from './callable-report.ts';
import type { Derivation, DerivedSource } from './derive-model.ts';
import { operationReader } from './operation-report.ts';
import {
  entitySetReport,
  type NavigationReport,
  navigationReports,
  type ResourceReport,
  singletonReport,
} from './resource-report.ts';

/** What has been made of documents. All names and types are the model's, operations the documents'. */
export interface ModelReport {
  readonly sources: readonly SourceReport[];
  readonly namespaces: readonly string[];
  readonly container: string;
  readonly types: TypeCounts;
  readonly entitySets: readonly ResourceReport[];
  readonly singletons: readonly ResourceReport[];
  /** What is reached by way of other resources only, by its path without keys. */
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
  /** Such as a string of at most 3 characters, under a name of its own. */
  readonly definition: number;
}

export interface FindingReport {
  readonly severity: Finding['severity'];
  /** The file with the document, where there are several; or that the place is in the document's overlay. */
  readonly file: string | undefined;
  readonly pointer: string;
  readonly message: string;
  /** What findings of the same kind have in common. */
  readonly rule?: string | undefined;
}

export function modelReport({ sources, model, findings }: Derivation): ModelReport {
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
    entitySets: [...model.entitySets.values()].map((set) => entitySetReport(set, read)),
    singletons: [...model.singletons.values()].map((singleton) => singletonReport(singleton, read)),
    navigation: navigationReports(model, read),
    functions: callables('function'),
    actions: callables('action'),
    findings: findingReports(findings, sources),
  };
}

/** Findings name a file only where it could be another one. */
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
    // Swagger 2.0 is OpenAPI 2.0 by another name.
    openapi: document === original.document ? String(own(document, 'openapi')) : '2.0',
    title: textOf(own(info, 'title')),
    version: textOf(own(info, 'version')),
    ...credentials,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The container's first. */
function namespacesOf(model: Model): readonly string[] {
  const { entityTypes, complexTypes, enumerationTypes, typeDefinitions, callables } = model;
  const types = [entityTypes, complexTypes, enumerationTypes, typeDefinitions].flatMap((each) => [
    ...each.values(),
  ]);
  return [...new Set([model.namespace, ...[...types, ...callables].map(({ namespace }) => namespace)])];
}
