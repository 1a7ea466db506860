import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { type Finding, type ListReport, modelFromOpenApi } from '../../derive/model-from-openapi.ts';
import type { DocumentOperation, DocumentParameter } from '../../derive/operations/document-operation.ts';
import { namedOperations } from '../../derive/samples/operation-names.ts';
import { pageWord } from '../../model/answer-words.ts';
import type { DescribedModel } from '../../model/description.ts';
import { type EntitySet, isTransient } from '../../model/edm.ts';
import type { FoundRelation } from '../../model/found-relation.ts';
import { meshName } from '../../model/mesh-name.ts';
import type { Model } from '../../model/model.ts';
import { foldedName, pascalCase } from '../../model/names.ts';
import type { Paging } from '../../model/operation.ts';
import { grantedRoles } from '../../model/resource-grants.ts';
import {
  type DocumentNode,
  items,
  member,
  members,
  pointerNames,
  rootNode,
  text,
} from '../../openapi/document/document-node.ts';
import { type DocumentSource, documentSource, resolve } from '../../openapi/document/document-source.ts';
import { type OpenApiDescription, overlayDescription } from '../../openapi/openapi-description.ts';
import { own } from '../../openapi/parse/openapi-version.ts';

const SOURCE = 'Api';

/**
 * Writes an OpenAPI Overlay with the results of the conventions for a document: names and keys of entity
 * sets. Doubtful suggestions, and lists that are not tables, are comments.
 *
 * The overlay does not change the model: names and keys that would change it are omitted. `outcomeOf` returns what data
 * has shown of a relation, in words; empty if nothing is known.
 */
export function suggestOverlay(
  description: OpenApiDescription,
  file: string | undefined,
  outcomeOf: (relation: FoundRelation) => string = () => '',
): string {
  const { document } = description;
  const { model, report, lists, relations } = derive(document);
  const source = documentSource(SOURCE, document);
  const found = entitySuggestions(source, model);
  const kept = new Set(keepUnchanging(description, model, found));
  const suggestions = [
    ...found.filter((each) => kept.has(each)),
    ...listSuggestions(source, model),
    ...relations.flatMap((relation) => relationSuggestions(relation, outcomeOf(relation))),
  ];
  return [
    ...headLines(document, file),
    'actions:',
    ...grantLines(model),
    ...(kept.size === 0 ? ['  - target: $', '    update: {}'] : []),
    ...suggestions.flatMap((suggestion) => suggestionLines(description, suggestion)),
    ...servedRelationLines(relations, outcomeOf),
    ...remarkLines(description, lists, report),
    '',
  ].join('\n');
}

function derive(document: unknown) {
  return modelFromOpenApi([{ name: SOURCE, document }]);
}

/** Keeps the largest set of suggestions that leaves the model unchanged. */
function keepUnchanging(
  description: OpenApiDescription,
  model: Model,
  suggestions: readonly Suggestion[],
): readonly Suggestion[] {
  const describedWith = (some: readonly Suggestion[]): DescribedModel | undefined => {
    const overlay = { overlay: '1.0.0', actions: some.map((each) => actionOf(description, each)) };
    const overlaid = overlayDescription(description.original, overlay);
    return overlaid && derive(overlaid).model.description;
  };
  const grow = (kept: readonly Suggestion[], some: readonly Suggestion[]): readonly Suggestion[] => {
    if (some.length === 0) return kept;
    const all = [...kept, ...some];
    const described = describedWith(all);
    if (isDeepStrictEqual(described, model.description)) return all;
    return some.length === 1 ? kept : partsOf(some, model.description, described).reduce(grow, kept);
  };
  return grow([], suggestions);
}

/**
 * The groups to try next if suggestions change the model together. Each attempt derives the model again:
 * those for changed entity sets are tried separately, after all others together; if that does not help, by
 * halves.
 */
function partsOf(
  some: readonly Suggestion[],
  before: DescribedModel,
  after: DescribedModel | undefined,
): readonly (readonly Suggestion[])[] {
  const isSame = ({ set }: Suggestion) =>
    isDeepStrictEqual(before.entitySets.get(set), after?.entitySets.get(set));
  const { others = [], suspects = [] } = Object.groupBy(some, (each) =>
    isSame(each) ? 'others' : 'suspects',
  );
  if (others.length > 0 && suspects.length > 0) return [others, ...suspects.map((each) => [each])];
  const middle = Math.ceil(some.length / 2);
  return [some.slice(0, middle), some.slice(middle)];
}

function actionOf({ original, placeOf }: OpenApiDescription, { pointer, words }: Suggestion) {
  const target = jsonPathOf(original.document, placeOf(pointer).pointer);
  return { target, update: { 'x-odata': words } };
}

/** A comment line; texts of the document lose their line breaks. */
function comment(text: string): string {
  return `  # ${text.replace(/\p{Cc}+/gu, ' ')}`;
}

function headLines(document: unknown, file: string | undefined): readonly string[] {
  const title = own(own(document, 'info'), 'title');
  const head = {
    overlay: '1.0.0',
    info: {
      title: `What Duogate reads in ${typeof title === 'string' ? title : 'the document'}`,
      version: '1',
    },
    ...(file === undefined ? {} : { extends: file }),
  };
  return stringify(head, { lineWidth: 0 }).trimEnd().split('\n');
}

/** Missing grants come first. */
function grantLines(model: Model): readonly string[] {
  if (grantedRoles(model).length > 0) return [];
  const action = { target: '$', update: { 'x-odata': { grants: { User: ['View'], Admin: ALL } } } };
  return [comment('Nobody may use anything yet: say which role may do what.'), ...commented(action)];
}

const ALL = ['View', 'Insert', 'Update', 'Delete', 'Call'];

function suggestionLines(description: OpenApiDescription, suggestion: Suggestion): readonly string[] {
  const action = actionOf(description, suggestion);
  const lines = suggestion.isDoubtful ? commented(action) : actionLines(action);
  return suggestion.note === '' ? lines : [comment(suggestion.note), ...lines];
}

function actionLines(action: object): readonly string[] {
  return stringify([action], { lineWidth: 0, flowCollectionPadding: true })
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
}

function commented(action: object): readonly string[] {
  return actionLines(action).map((line) => line.replace(/^ {2}/, '  # '));
}

/** Rules of findings that the overlay shows otherwise. */
const SHOWN_OTHERWISE: ReadonlySet<string> = new Set([
  'nobody-may-use',
  'nobody-may-call',
  'reference-suggested',
]);

function relationSuggestions(
  { entityType, property, target, written, schema, state, alternatives, typedBy }: FoundRelation,
  outcome: string,
): readonly Suggestion[] {
  if (state !== 'suggested' || written === undefined) return [];
  const doubts = [
    ...(alternatives.length === 0 ? [] : [`or of ${alternatives.join(', ')}`]),
    ...(typedBy === undefined ? [] : [`and ${typedBy} may name another type`]),
    ...(outcome === '' ? [] : [outcome]),
  ];
  const note = [`${entityType}/${property} may be a key of ${target}`, ...doubts].join('; ');
  const words = { references: { [written]: target } };
  return [{ set: target, pointer: schema, words, note: `${note}.`, isDoubtful: true }];
}

function servedRelationLines(
  relations: readonly FoundRelation[],
  outcomeOf: (relation: FoundRelation) => string,
): readonly string[] {
  const served = relations.filter(({ state }) => state === 'declared' || state === 'derived');
  if (served.length === 0) return [];
  const lines = served.map((relation) => {
    const { entityType, property, target, foundBy } = relation;
    const reasons = [foundBy, outcomeOf(relation)].filter((each) => each !== '');
    return comment(`${entityType}/${property} refers to ${target}: ${reasons.join('; ')}`);
  });
  return [comment('Relations that are served:'), ...lines];
}

function remarkLines(
  { placeOf }: OpenApiDescription,
  lists: readonly ListReport[],
  report: readonly Finding[],
): readonly string[] {
  const lost = lists.filter(({ became }) => became === 'function' || became === 'nothing');
  const decided = report.filter(({ rule }) => rule !== undefined && !SHOWN_OTHERWISE.has(rule));
  return [
    ...(lost.length === 0 ? [] : [comment('Lists that are not served as tables:')]),
    ...lost.map(({ path, message = '', hint = '' }) =>
      comment(`${path}: ${[message, hint].filter(Boolean).join('; ')}`),
    ),
    ...(decided.length === 0 ? [] : [comment('Decisions to look at:')]),
    ...decided.map(({ pointer, message }) => comment(`${placeOf(pointer).pointer}: ${message}`)),
  ];
}

/** Words of `x-odata` for one position. */
interface Suggestion {
  /** The name of its entity set. */
  readonly set: string;
  /** A JSON pointer into the document, as the gateway reads it. */
  readonly pointer: string;
  readonly words: Readonly<Record<string, unknown>>;
  /** The reason, or a question to check first; empty if obvious. */
  readonly note: string;
  /** True if an expert on the API has to decide: written as a comment. */
  readonly isDoubtful: boolean;
}

/** Suggestions for pages and filters of entity sets. */
function listSuggestions(source: DocumentSource, model: Model): readonly Suggestion[] {
  const operations = new Map((namedOperations([source]).get(source) ?? []).map((each) => [each.id, each]));
  return [...model.entitySets.values()].flatMap((set) => {
    const operation = set.list && operations.get(set.list.id);
    const isDescribed = operation === undefined || member(operation.node, 'x-odata') !== undefined;
    return isDescribed ? [] : suggestionsFor(source, set, operation);
  });
}

function suggestionsFor(
  source: DocumentSource,
  set: EntitySet,
  operation: DocumentOperation,
): readonly Suggestion[] {
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
  return [{ set: set.name, pointer, words, note: `Look first ${doubts.join(', and ')}.`, isDoubtful: true }];
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

/** Suggestions for names and keys, on the schemas of the entities. */
function entitySuggestions({ root }: DocumentSource, model: Model): readonly Suggestion[] {
  const schemas = componentsByType(root);
  const sets = Map.groupBy(model.entitySets.values(), ({ entityType }) => entityType.name);
  return [...sets.values()].flatMap(([set, ...others]) => {
    // A name on the schema would apply to all sets of its entities.
    if (set === undefined || others.length > 0 || isTransient(set.entityType)) return [];
    const schema = schemas.get(set.entityType.name);
    const words = schema === undefined ? {} : wordsFor(set, schema);
    if (schema === undefined || Object.keys(words).length === 0) return [];
    return [{ set: set.name, pointer: schema.pointer, words, note: '', isDoubtful: false }];
  });
}

function componentsByType(root: DocumentNode): ReadonlyMap<string, DocumentNode> {
  const schemas = members(member(member(root, 'components'), 'schemas'));
  return new Map(schemas.map(([name, schema]) => [pascalCase(name) ?? name, schema]));
}

/** Omits words that the schema has already, because an overlay would merge them. */
function wordsFor({ name, entityType }: EntitySet, schema: DocumentNode): Suggestion['words'] {
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

const WORD = /^[A-Za-z_]\w*$/;

/** The JSONPath query (RFC 9535) for a JSON pointer. */
export function jsonPathOf(document: unknown, pointer: string): string {
  let [node, path]: [DocumentNode | undefined, string] = [rootNode(document), '$'];
  for (const name of pointerNames(pointer)) {
    const isItem = Array.isArray(node?.value);
    path += isItem ? `[${name}]` : WORD.test(name) ? `.${name}` : `['${escaped(name)}']`;
    node = isItem ? items(node)[Number(name)] : member(node, name);
  }
  return path;
}

/** Section 2.3.1.1: these and control characters are escaped in single quotes. */
function escaped(name: string): string {
  return name
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
