import type { Model } from './edm.ts';
import { claimName, claimNamespaces, containerName, DEFAULT_NAMESPACE } from './from-openapi/claimed-name.ts';
import type { Derivation } from './from-openapi/derivation.ts';
import { deriveDocument, type ModelPart } from './from-openapi/derive-document.ts';
import { checkVocabulary } from './from-openapi/document/check-vocabulary.ts';
import { member, text } from './from-openapi/document/document-node.ts';
import { documentSource, type SuppliedParameters } from './from-openapi/document/document-source.ts';
import type { Finding } from './from-openapi/document/finding.ts';
import { isReadable } from './from-openapi/document/readable-document.ts';
import { namedOperations } from './from-openapi/operation-names.ts';
import { readInheritance } from './from-openapi/schemas/inheritance.ts';
import { schemaReader } from './from-openapi/schemas/schema-reader.ts';

export type { Finding } from './from-openapi/document/finding.ts';

/** An OpenAPI document, parsed from its YAML or JSON, with the name of its source in the project. */
export interface OpenApiSource {
  readonly name: string;
  readonly document: unknown;
  /** What the project gives with each call. */
  readonly supplied?: SuppliedParameters | undefined;
}

/** Whether the operation at that pointer of a source's document can be called. */
type OperationTest = (source: string, pointer: string) => boolean;

interface DerivedModel {
  readonly model: Model;
  readonly report: readonly Finding[];
}

/**
 * Derives the entity data model of a service from its OpenAPI documents, by the conventions and the
 * `x-odata` vocabulary of the design's section 3.
 *
 * It never throws on what a document says and reads nothing beside it. What cannot be mapped is left
 * out and reported, never guessed. Each document has a namespace of its own, the container stands in
 * the first one's; names of types and of resources are unique in the whole model. Operations that cannot
 * be called are left out; whoever knows that has reported it.
 */
export function modelFromOpenApi(
  sources: readonly OpenApiSource[],
  isCallable: OperationTest = () => true,
): DerivedModel {
  const typeNames = new Set<string>();
  const resourceNames = new Set<string>();
  const opened = sources.map(({ name, document, supplied }) => documentSource(name, document, supplied));
  const operations = namedOperations(opened);
  const namespaces = claimNamespaces(opened);
  const [first] = opened;
  const container = containerName(opened);
  typeNames.add(container);
  const parts = opened.map((source) => {
    if (!isReadable(source)) return NOTHING;
    const claim = (taken: Set<string>) => (name: string, pointer: string) =>
      claimName(source.report, taken, name, pointer);
    const read = schemaReader(source);
    return partOf({
      source,
      operations: (operations.get(source) ?? []).filter(({ node }) => isCallable(source.name, node.pointer)),
      namespace: namespaces.get(source) ?? DEFAULT_NAMESPACE,
      read,
      inheritance: readInheritance(source, read),
      claimTypeName: claim(typeNames),
      claimResourceName: claim(resourceNames),
    });
  });
  const model: Model = {
    namespace: (first && namespaces.get(first)) ?? DEFAULT_NAMESPACE,
    container,
    schemaVersion: first && text(member(member(first.root, 'x-odata'), 'schemaVersion')),
    entityTypes: byName(parts.flatMap(({ entityTypes }) => entityTypes)),
    entitySets: byName(parts.flatMap(({ entitySets }) => entitySets)),
    complexTypes: byName(parts.flatMap(({ complexTypes }) => complexTypes)),
    enumerationTypes: byName(parts.flatMap(({ enumerationTypes }) => enumerationTypes)),
    typeDefinitions: byName(parts.flatMap(({ typeDefinitions }) => typeDefinitions)),
    singletons: byName(parts.flatMap(({ singletons }) => singletons)),
    callables: parts.flatMap(({ callables }) => callables),
    imports: byName(parts.flatMap(({ imports }) => imports)),
  };
  return { model, report: opened.flatMap((source) => source.findings()) };
}

const NOTHING: ModelPart = {
  entityTypes: [],
  complexTypes: [],
  enumerationTypes: [],
  typeDefinitions: [],
  entitySets: [],
  singletons: [],
  callables: [],
  imports: [],
};

function partOf(derivation: Derivation): ModelPart {
  checkVocabulary(derivation.source);
  const part = deriveDocument(derivation);
  const served = [...part.entitySets, ...part.singletons, ...part.callables];
  if (served.length === 0) {
    derivation.source.report('warning', '', 'Nothing of the document can be served');
  }
  return part;
}

function byName<Part extends { readonly name: string }>(parts: readonly Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.name, part]));
}
