import type { Model } from './edm.ts';
import { checkVocabulary } from './from-openapi/check-vocabulary.ts';
import type { Derivation } from './from-openapi/derivation.ts';
import { deriveDocument, type ModelPart } from './from-openapi/derive-document.ts';
import { member, text } from './from-openapi/document-node.ts';
import {
  type DocumentSource,
  documentSource,
  quote,
  type SuppliedParameters,
} from './from-openapi/document-source.ts';
import type { Finding } from './from-openapi/finding.ts';
import { readInheritance } from './from-openapi/inheritance.ts';
import { freeName, isModelName, pascalCase } from './from-openapi/names.ts';
import { namedOperations } from './from-openapi/operation-names.ts';
import { isReadable } from './from-openapi/readable-document.ts';
import { schemaReader } from './from-openapi/schema.ts';

export type { Finding } from './from-openapi/finding.ts';

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
  const [first] = opened;
  const container = (first && documentName(first, 'container')) ?? 'Container';
  typeNames.add(container);
  const parts = opened.map((source) => {
    if (!isReadable(source)) return NOTHING;
    const claim = (taken: Set<string>) => (name: string, pointer: string) =>
      claimName(source, taken, name, pointer);
    const read = schemaReader(source);
    return partOf({
      source,
      operations: (operations.get(source) ?? []).filter(({ node }) => isCallable(source.name, node.pointer)),
      namespace: namespaceOf(source),
      read,
      inheritance: readInheritance(source, read),
      claimTypeName: claim(typeNames),
      claimResourceName: claim(resourceNames),
    });
  });
  const model: Model = {
    namespace: first === undefined ? 'Default' : namespaceOf(first),
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

function claimName(source: DocumentSource, taken: Set<string>, wanted: string, pointer: string): string {
  const name = freeName(wanted, taken);
  taken.add(name);
  if (name !== wanted) source.report('warning', pointer, `It is named ${name}: the name ${wanted} is taken`);
  return name;
}

function namespaceOf(source: DocumentSource): string {
  return documentName(source, 'namespace') ?? pascalCase(source.name) ?? 'Default';
}

/** A name that the document's `x-odata` gives; a namespace may have several parts with dots between. */
function documentName({ root, report }: DocumentSource, key: 'namespace' | 'container'): string | undefined {
  const said = member(member(root, 'x-odata'), key);
  const name = text(said);
  if (said === undefined || name === undefined) return undefined;
  const parts = key === 'namespace' ? name.split('.') : [name];
  if (parts.every(isModelName) && !RESERVED_NAMESPACES.has(name)) return name;
  report('error', said.pointer, `${quote(name)} cannot be the name of a ${key}`);
  return undefined;
}

/** CSDL 4.01, 5.1: none of these may be a schema's namespace. */
const RESERVED_NAMESPACES: ReadonlySet<string> = new Set(['Edm', 'odata', 'System', 'Transient']);
