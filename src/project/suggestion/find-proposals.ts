import { isDeepStrictEqual } from 'node:util';
import { type Finding, type ListReport, modelFromOpenApi } from '../../derive/model-from-openapi.ts';
import type { DocumentOperation, DocumentParameter } from '../../derive/operations/document-operation.ts';
import { SILENT_LIST, SILENT_READ } from '../../derive/samples/inferred-answers.ts';
import { namedOperations } from '../../derive/samples/operation-names.ts';
import { pageWord } from '../../model/answer-words.ts';
import type { DescribedEntitySet, DescribedModel } from '../../model/description.ts';
import { type EntitySet, isTransient, type StructuralProperty } from '../../model/edm.ts';
import type { FoundRelation } from '../../model/found-relation.ts';
import { meshName } from '../../model/mesh-name.ts';
import type { Model } from '../../model/model.ts';
import { foldedName, pascalCase } from '../../model/names.ts';
import type { Paging } from '../../model/operation.ts';
import { type DocumentNode, member, members, nodeAt, text } from '../../openapi/document/document-node.ts';
import { type DocumentSource, documentSource, resolve } from '../../openapi/document/document-source.ts';
import { type OpenApiDescription, overlayDescription } from '../../openapi/openapi-description.ts';
import { targetOf } from './json-path-of.ts';

const SOURCE = 'Api';

/** The proposals for a document, and the model that it has without them. */
export interface Proposals {
  readonly model: Model;
  readonly report: readonly Finding[];
  readonly lists: readonly ListReport[];
  readonly relations: readonly FoundRelation[];
  /** The names and keys that the conventions found. They do not change the model. */
  readonly found: readonly Proposal[];
  /** Proposals that an expert on the API has to decide. */
  readonly doubtful: readonly Proposal[];
}

/** A change of one position of a document. */
export interface Proposal {
  readonly kind: 'name' | 'page' | 'key' | 'schema' | 'filter' | 'link';
  /** The name of its entity set, or the path of its operation. */
  readonly set: string;
  /** A JSON pointer into the document, as the gateway reads it. */
  readonly pointer: string;
  readonly update: Readonly<Record<string, unknown>>;
  /** The reason, or a question to check first; empty if obvious. */
  readonly note: string;
}

/**
 * Finds what an overlay could say. `outcomeOf` returns what data has shown of a relation, in words; empty if nothing is known.
 *
 * The model is derived four times at most, however large the document is.
 */
export function findProposals(
  description: OpenApiDescription,
  outcomeOf: (relation: FoundRelation) => string = () => '',
): Proposals {
  const { document } = description;
  const { model, report, lists, relations } = derive(document);
  const source = documentSource(SOURCE, document);
  const operations = new Map((namedOperations([source]).get(source) ?? []).map((each) => [each.id, each]));
  const found = keepUnchanging(description, model, entityProposals(source, model));
  const doubtful = [
    ...keyProposals(source, operations, model),
    ...schemaProposals(description, operations, source.findings()),
    ...defaultProposals(operations, model),
    ...listProposals(source, operations, model),
    ...relations.flatMap((relation) => relationProposals(relation, outcomeOf(relation))),
  ];
  return { model, report, lists, relations, found, doubtful };
}

function derive(document: unknown) {
  return modelFromOpenApi([{ name: SOURCE, document }]);
}

/**
 * Keeps proposals that leave the model unchanged. A set that changes in more than its relations has an own proposal that
 * changes it; the others change because theirs do.
 */
function keepUnchanging(
  description: OpenApiDescription,
  { description: before }: Model,
  proposals: readonly Proposal[],
): readonly Proposal[] {
  const changedBy = (some: readonly Proposal[]): DescribedModel | undefined | 'same' => {
    const actions = some.map((each) => ({
      target: targetOf(description, each.pointer),
      update: each.update,
    }));
    const overlaid = overlayDescription(description.original, { overlay: '1.0.0', actions });
    const after = overlaid && derive(overlaid).model.description;
    return isDeepStrictEqual(after, before) ? 'same' : after;
  };
  if (proposals.length === 0) return [];
  const after = changedBy(proposals);
  if (after === 'same') return proposals;
  const isKept = (isSame: (one: DescribedEntitySet, other: DescribedEntitySet) => boolean) =>
    proposals.filter(({ set }) => {
      const [one, other] = [before.entitySets.get(set), after?.entitySets.get(set)];
      return one !== undefined && other !== undefined && isSame(one, other);
    });
  const choices = [
    isKept((one, other) => isDeepStrictEqual(withoutRelations(one), withoutRelations(other))),
    isKept(isDeepStrictEqual),
  ];
  return choices.find((some) => some.length > 0 && changedBy(some) === 'same') ?? [];
}

function withoutRelations(set: DescribedEntitySet) {
  return { ...set, entityType: { ...set.entityType, navigationProperties: undefined } };
}

/** Proposals for keys of rows that have none: identifiers, or else the properties that are no measures. */
function keyProposals(source: DocumentSource, operations: Operations, model: Model): readonly Proposal[] {
  const seen = new Set<string>();
  return [...model.entitySets.values()].flatMap((set): readonly Proposal[] => {
    if (!isTransient(set.entityType) || set.list === undefined) return [];
    const operation = operations.get(set.list.id);
    const pointer = operation && itemPointer(source, operation, set.list.wrappedIn ?? []);
    const key = keyOf([...set.entityType.structuralProperties.values()]);
    if (pointer === undefined || key.length === 0 || seen.has(pointer)) return [];
    seen.add(pointer);
    const note = `Look first whether no two rows of ${set.name} have the same ${key.join(' and ')}, and none lacks it.`;
    // A key makes the rows another type, whose set keeps its name.
    const sets = [...model.entitySets.values()].filter(({ entityType }) => entityType === set.entityType);
    const words = { ...(sets.length === 1 && { entitySet: set.name }), key };
    return [{ kind: 'key', set: set.name, pointer, update: { 'x-odata': words }, note }];
  });
}

/** The most properties of a proposed key. */
const LONGEST_KEY = 3;

const KEY_WORDS = /(?:^|[a-z_-])(?:ids?|uuid|guid|key|code|number|no|nr|sku|slug|symbol)$/i;

const DIMENSIONS: ReadonlySet<string> = new Set(['Edm.String', 'Edm.Date', 'Edm.DateTimeOffset', 'Edm.Guid']);

/** The JSON names of the properties that may tell rows apart; none if too many could. */
function keyOf(properties: readonly StructuralProperty[]): readonly string[] {
  const own = properties.filter(
    ({ isRowKey, collection, within, argument, aliasOf }) =>
      isRowKey === undefined && !collection && within === undefined && !argument && aliasOf === undefined,
  );
  const whole = own.filter(({ type }) => type.name === 'Edm.Int32' || type.name === 'Edm.Int64');
  const dimensions = own.filter(({ type }) => DIMENSIONS.has(type.name) || type.kind === 'enumeration');
  const identifier = [...dimensions, ...whole].find(({ upstreamName }) => KEY_WORDS.test(upstreamName));
  const key = identifier === undefined ? dimensions : [identifier];
  return key.length > LONGEST_KEY ? [] : key.map(({ upstreamName }) => upstreamName);
}

/** The pointer to the schema of a list's items. */
function itemPointer(
  source: DocumentSource,
  { answer }: DocumentOperation,
  wrappedIn: readonly string[],
): string | undefined {
  const list = wrappedIn.reduce(
    (node, name) => resolve(source, member(member(node, 'properties'), name)),
    resolve(source, answer),
  );
  const pointer = resolve(source, member(list, 'items'))?.pointer;
  // Items whose schema was inferred are at no position of the document.
  return pointer === undefined || nodeAt(source.root, pointer) === undefined ? undefined : pointer;
}

/** In characters of JSON. */
const LARGEST_SCHEMA = 20_000;

/** Proposals to write down the schemas that the document's other operations show for an answer. */
function schemaProposals(
  { document, original }: OpenApiDescription,
  operations: Operations,
  findings: readonly Finding[],
): readonly Proposal[] {
  // A schema of another version of OpenAPI cannot be written into the document.
  if (document !== original.document) return [];
  const silent = new Set(
    findings.flatMap(({ rule, pointer }) => (rule === SILENT_LIST || rule === SILENT_READ ? [pointer] : [])),
  );
  return [...operations.values()].flatMap(({ node, answer, writtenPath }): readonly Proposal[] => {
    if (!silent.has(node.pointer) || answer === undefined) return [];
    if (JSON.stringify(answer.value).length > LARGEST_SCHEMA) return [];
    const responses = members(member(node, 'responses'));
    const [status = '200', response] = responses.find(([each]) => /^2/.test(each)) ?? [];
    const [[media = 'application/json'] = []] = members(member(response, 'content'));
    const about = member(response, 'description') === undefined ? { description: '' } : {};
    const content = { [media]: { schema: answer.value } };
    const note = 'Look first whether the answer is not in an envelope; learning from an answer is safer.';
    const update = { responses: { [status]: { ...about, content } } };
    return [{ kind: 'schema', set: `GET ${writtenPath}`, pointer: node.pointer, update, note }];
  });
}

/** Proposals for relations that only data could prove. */
function relationProposals(
  { entityType, property, target, written, schema, state, alternatives, typedBy }: FoundRelation,
  outcome: string,
): readonly Proposal[] {
  if (state !== 'suggested' || written === undefined) return [];
  const doubts = [
    ...(alternatives.length === 0 ? [] : [`or of ${alternatives.join(', ')}`]),
    ...(typedBy === undefined ? [] : [`and ${typedBy} may name another type`]),
    ...(outcome === '' ? [] : [outcome]),
  ];
  const note = [`${entityType}/${property} may be a key of ${target}`, ...doubts].join('; ');
  const update = { 'x-odata': { references: { [written]: target } } };
  return [{ kind: 'link', set: target, pointer: schema, update, note: `${note}.` }];
}

/** Proposals about defaults of parameters that leave entities out. */
function defaultProposals(operations: Operations, model: Model): readonly Proposal[] {
  return [...model.entitySets.values()].flatMap((set) =>
    (set.list?.defaults ?? []).flatMap(({ name, standing }): readonly Proposal[] => {
      const operation = set.list && operations.get(set.list.id);
      const parameter = operation?.parameters.find((each) => each.in === 'query' && each.name === name);
      if (standing === undefined || parameter === undefined) return [];
      const { pointer } = parameter.node;
      const note = `The API leaves out entities of ${set.name} unless ${name} says otherwise: its default is ${standing}. all is the value by which it leaves out none; false keeps the default.`;
      return [{ kind: 'filter', set: set.name, pointer, update: { 'x-odata': { all: false } }, note }];
    }),
  );
}

type Operations = ReadonlyMap<string, DocumentOperation>;

/** Proposals for pages and filters of entity sets. */
function listProposals(source: DocumentSource, operations: Operations, model: Model): readonly Proposal[] {
  return [...model.entitySets.values()].flatMap((set) => {
    const operation = set.list && operations.get(set.list.id);
    const isDescribed = operation === undefined || member(operation.node, 'x-odata') !== undefined;
    return isDescribed ? [] : proposalsFor(source, set, operation);
  });
}

function proposalsFor(
  source: DocumentSource,
  set: EntitySet,
  operation: DocumentOperation,
): readonly Proposal[] {
  const { pointer } = operation.node;
  const held = set.list?.wrappedIn?.join('.');
  const base = { pageOf: set.name, ...(held === undefined ? {} : { items: held }) };
  const paging = pagingWords(source, operation, set.list?.paging);
  const filters = filterWords(source, set, operation);
  const words = { ...base, ...paging, ...(Object.keys(filters).length === 0 ? {} : { filters }) };
  if (Object.keys(paging).length === 0 && words.filters === undefined) return [];
  const doubts = [
    ...(Object.keys(paging).length === 0 ? [] : ['whether these parameters choose its pages']),
    ...(words.filters === undefined ? [] : ['whether each filter finds at least what is equal']),
  ];
  const note = `Look first ${doubts.join(', and ')}.`;
  return [{ kind: 'page', set: set.name, pointer, update: { 'x-odata': words }, note }];
}

/** The words of `x-odata` for the kinds of paging. Paging by the last key has none. */
const WAYS = { page: 'page', offset: 'skip', cursor: 'cursor', lastKey: undefined } as const;

/** The words that describe a list's paging in the model. */
function pagingWords(
  source: DocumentSource,
  operation: DocumentOperation,
  paging: Paging | undefined,
): Readonly<Record<string, string>> {
  if (paging === undefined) return {};
  const { size, ways, tells } = paging;
  const given = [
    ['top', size?.parameter.name] as const,
    ...ways.map(({ kind, parameter }) => [WAYS[kind], parameter.name] as const),
  ];
  const words = given.flatMap(([word, name]) => {
    const parameter = queryParameters(operation).find((each) => meshName(each.name) === name);
    return word === undefined || parameter === undefined ? [] : [[word, parameter.name] as const];
  });
  const total = tells.total && words.length > 0 ? totalName(source, operation) : undefined;
  return { ...Object.fromEntries(words), ...(total === undefined ? {} : { total }) };
}

function totalName(source: DocumentSource, { answer }: DocumentOperation): string | undefined {
  const names = members(member(resolve(source, answer), 'properties')).map(([name]) => name);
  return names.find((name) => pageWord([name])?.kind === 'total');
}

function queryParameters({ parameters }: DocumentOperation): readonly DocumentParameter[] {
  return parameters.filter(({ in: place }) => place === 'query');
}

/** Parameters with the name and type of a property. */
function filterWords(
  source: DocumentSource,
  { entityType }: EntitySet,
  operation: DocumentOperation,
): Readonly<Record<string, string>> {
  const properties = [...entityType.structuralProperties.values()];
  const found = queryParameters(operation).flatMap((parameter) => {
    const property = properties.find(
      ({ upstreamName }) => foldedName(upstreamName) === foldedName(parameter.name),
    );
    const type = text(member(resolve(source, parameter.schema), 'type'));
    const isSame =
      property !== undefined && !property.collection && JSON_TYPES[property.type.name] === (type ?? '');
    return isSame ? [[property.name, parameter.name] as const] : [];
  });
  return Object.fromEntries(found);
}

/** JSON types of primitive types; strings may have any type that is written as a string. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  'Edm.Boolean': 'boolean',
  'Edm.Date': 'string',
  'Edm.DateTimeOffset': 'string',
  'Edm.Decimal': 'number',
  'Edm.Double': 'number',
  'Edm.Guid': 'string',
  'Edm.Int32': 'integer',
  'Edm.Int64': 'integer',
  'Edm.Single': 'number',
  'Edm.String': 'string',
};

/** Proposals for names and keys, on the schemas of the entities. */
function entityProposals({ root }: DocumentSource, model: Model): readonly Proposal[] {
  const schemas = componentsByType(root);
  const sets = Map.groupBy(model.entitySets.values(), ({ entityType }) => entityType.name);
  return [...sets.values()].flatMap(([set, ...others]) => {
    // A name on the schema would apply to all sets of its entities.
    if (set === undefined || others.length > 0 || isTransient(set.entityType)) return [];
    const schema = schemas.get(set.entityType.name);
    const words = schema === undefined ? {} : wordsFor(set, schema);
    if (schema === undefined || Object.keys(words).length === 0) return [];
    return [{ kind: 'name', set: set.name, pointer: schema.pointer, update: { 'x-odata': words }, note: '' }];
  });
}

function componentsByType(root: DocumentNode): ReadonlyMap<string, DocumentNode> {
  const schemas = members(member(member(root, 'components'), 'schemas'));
  return new Map(schemas.map(([name, schema]) => [pascalCase(name) ?? name, schema]));
}

/** Omits words that the schema has already, because an overlay would merge them. */
function wordsFor({ name, entityType }: EntitySet, schema: DocumentNode): Readonly<Record<string, unknown>> {
  const existing = member(schema, 'x-odata');
  const key = entityType.key.flatMap((part) => {
    const { upstreamName, within = [], aliasOf } = entityType.structuralProperties.get(part) ?? {};
    if (upstreamName === undefined) return [];
    return aliasOf === undefined ? upstreamName : [...within, upstreamName].join('/');
  });
  return {
    ...(member(existing, 'entitySet') === undefined ? { entitySet: name } : {}),
    ...(member(existing, 'key') === undefined && key.length > 0 ? { key } : {}),
  };
}
