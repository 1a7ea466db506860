import type { ModelPart } from '../model/description.ts';
import type { FoundRelation } from '../model/found-relation.ts';
import { byName } from '../model/maps.ts';
import { linkModel, type Model } from '../model/model.ts';
import { pascalCase } from '../model/names.ts';
import { member, text } from '../openapi/document/document-node.ts';
import {
  type DocumentSource,
  documentSource,
  isReadable,
  type SuppliedParameters,
} from '../openapi/document/document-source.ts';
import type { Finding } from '../openapi/document/finding.ts';
import { readInheritance } from '../openapi/schemas/inheritance.ts';
import { schemaReader } from '../openapi/schemas/schema-reader.ts';
import { deriveDocument } from './derive-document.ts';
import type { ListReport } from './lists-report.ts';
import {
  claimName,
  claimNamespaces,
  containerName,
  DEFAULT_NAMESPACE,
  type NameChoice,
} from './names/unique-name.ts';
import type { Derivation } from './operations/derivation.ts';
import { withoutPackage } from './operations/generated-name.ts';
import { namedOperations } from './samples/operation-names.ts';
import { commonPrefix } from './sets/set-name.ts';
import { checkVocabulary, placedSettings } from './vocabulary/vocabulary.ts';
import { reportUnusedKeywords } from './words-without-effect.ts';

export type { Finding } from '../openapi/document/finding.ts';
export type { ListReport } from './lists-report.ts';

/** An OpenAPI document, parsed from its YAML or JSON, with the name of its source in the project. */
export interface OpenApiSource {
  readonly name: string;
  readonly document: unknown;
  /** Parameters that the project sets for each call. */
  readonly supplied?: SuppliedParameters | undefined;
}

/** True if the operation at a pointer of a source's document can be called. */
type OperationTest = (source: string, pointer: string) => boolean;

interface DerivedModel {
  readonly model: Model;
  readonly report: readonly Finding[];
  /** The outcome for each list of the documents. */
  readonly lists: readonly ListReport[];
  /** The relations between entity sets that are served, suggested and refused. */
  readonly relations: readonly FoundRelation[];
}

/**
 * Derives the entity data model of a service from its OpenAPI documents, by conventions and the `x-odata`
 * vocabulary.
 *
 * Never throws because of a document, and reads nothing else. Parts that cannot be mapped are left out and
 * reported, never guessed. Each document has its own namespace, and the container is in the first; names of
 * types and resources are unique in the whole model. Operations that cannot be called are left out; the
 * caller has reported them.
 */
export function modelFromOpenApi(
  sources: readonly OpenApiSource[],
  isCallable: OperationTest = () => true,
): DerivedModel {
  const typeNames = new Map<string, DocumentSource | undefined>();
  const resourceNames = new Map<string, DocumentSource | undefined>();
  const opened = sources.map(({ name, document, supplied }) => documentSource(name, document, supplied));
  const operations = namedOperations(opened);
  const namespaces = claimNamespaces(opened);
  const [first] = opened;
  const container = containerName(opened);
  typeNames.set(container, undefined);
  const derived = opened.map((source) => {
    if (!isReadable(source)) return { part: NOTHING, lists: [], relations: [] };
    const claim =
      (owners: Map<string, DocumentSource | undefined>) => (choice: NameChoice, pointer: string) => {
        const name = claimName(source.report, owners, beside(source, owners, choice), pointer);
        owners.set(name, source);
        return name;
      };
    const called = operations.get(source) ?? [];
    const read = schemaReader(source);
    return partOf({
      source,
      operations: called.filter(({ node }) => isCallable(source.name, node.pointer)),
      namespace: namespaces.get(source) ?? DEFAULT_NAMESPACE,
      read,
      inheritance: readInheritance(source, read),
      pathPrefix: commonPrefix(called),
      claimTypeName: (choice, pointer) => claim(typeNames)(withoutPackage(source, choice, pointer), pointer),
      claimResourceName: claim(resourceNames),
    });
  });
  const parts = derived.map(({ part }) => part);
  const model = linkModel({
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
  });
  return {
    model,
    report: opened.flatMap((source) => source.findings()),
    lists: derived.flatMap(({ lists }) => lists),
    relations: derived.flatMap(({ relations }) => relations),
  };
}

/** If another source has the name, the source's name is prefixed. */
function beside(
  source: DocumentSource,
  owners: ReadonlyMap<string, DocumentSource | undefined>,
  choice: NameChoice,
): NameChoice {
  const [wanted, ...others] = choice;
  const isOthers = owners.has(wanted) && owners.get(wanted) !== source;
  const qualified = isOthers ? pascalCase(`${source.name} ${wanted}`) : undefined;
  return qualified === undefined ? choice : [wanted, qualified, ...others];
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

function partOf(derivation: Derivation): ReturnType<typeof deriveDocument> {
  const placed = placedSettings(derivation.source.root);
  checkVocabulary(derivation.source, placed);
  const derived = deriveDocument(derivation);
  reportUnusedKeywords(derivation.source, placed);
  const { part } = derived;
  const served = [...part.entitySets, ...part.singletons, ...part.callables];
  if (served.length === 0) {
    derivation.source.report('warning', '', 'Nothing in the document can be served');
  }
  return derived;
}
