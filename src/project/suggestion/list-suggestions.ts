import { pageWord } from '../../model/derive/answers/page-words.ts';
import { meshName } from '../../model/derive/names/mesh-name.ts';
import type { DocumentOperation } from '../../model/derive/operations/document-operation.ts';
import type { DocumentParameter } from '../../model/derive/operations/document-parameter.ts';
import { namedOperations } from '../../model/derive/operations/operation-names.ts';
import type { EntitySet } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { styleless } from '../../model/names.ts';
import type { Paging } from '../../model/paging.ts';
import { member, members, text } from '../../openapi/document/document-node.ts';
import { type DocumentSource, resolve } from '../../openapi/document/document-source.ts';
import type { Suggestion } from './suggestion.ts';

/** The words about pages and filters of the lists of entity sets. */
export function listSuggestions(source: DocumentSource, model: Model): readonly Suggestion[] {
  const operations = new Map((namedOperations([source]).get(source) ?? []).map((each) => [each.id, each]));
  return [...model.entitySets.values()].flatMap((set) => {
    const operation = set.list && operations.get(set.list.id);
    const isSaid = operation === undefined || member(operation.node, 'x-odata') !== undefined;
    return isSaid ? [] : suggestionsFor(source, set, operation);
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
  return [{ pointer, words, note: `Look first ${doubts.join(', and ')}.`, isDoubtful: true }];
}

/** What `x-odata` calls the ways to another page. The key of the last item has no word of its own. */
const WAYS = { page: 'page', offset: 'skip', cursor: 'cursor', lastKey: undefined } as const;

/** What the model knows of the pages of a list, in the words that would say it. */
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
  const said = given.flatMap(([word, name]) => {
    const parameter = queryParameters(operation).find((each) => meshName(each.name) === name);
    return word === undefined || parameter === undefined ? [] : [[word, parameter.name] as const];
  });
  const total = tells.total && said.length > 0 ? totalName(source, operation) : undefined;
  return { ...Object.fromEntries(said), ...(total === undefined ? {} : { total }) };
}

function totalName(source: DocumentSource, { answer }: DocumentOperation): string | undefined {
  const names = members(member(resolve(source, answer), 'properties')).map(([name]) => name);
  return names.find((name) => pageWord([name])?.kind === 'total');
}

function queryParameters({ parameters }: DocumentOperation): readonly DocumentParameter[] {
  return parameters.filter(({ in: place }) => place === 'query');
}

/** Parameters that have the name and the type of a property. */
function filterWords(
  source: DocumentSource,
  { entityType }: EntitySet,
  operation: DocumentOperation,
): Readonly<Record<string, string>> {
  const properties = [...entityType.structuralProperties.values()];
  const found = queryParameters(operation).flatMap((parameter) => {
    const property = properties.find(
      ({ upstreamName }) => styleless(upstreamName) === styleless(parameter.name),
    );
    const type = text(member(resolve(source, parameter.schema), 'type'));
    const isSame =
      property !== undefined && !property.collection && JSON_TYPES[property.type.name] === (type ?? '');
    return isSame ? [[property.name, parameter.name] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The JSON types of values of primitive types; a text may also be of one of the types that are written as texts. */
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
