import type { EntitySet, Model } from '../../model/edm.ts';
import { member, members, text } from '../../model/from-openapi/document/document-node.ts';
import type {
  DocumentOperation,
  DocumentParameter,
} from '../../model/from-openapi/document/document-operation.ts';
import { type DocumentSource, resolve } from '../../model/from-openapi/document/document-source.ts';
import { VOCABULARY } from '../../model/from-openapi/document/vocabulary.ts';
import { styleless } from '../../model/from-openapi/names.ts';
import { namedOperations } from '../../model/from-openapi/operation-names.ts';
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
  const paging = pagingWords(source, operation);
  const filters = filterWords(source, set, operation);
  const words = { ...base, ...paging, ...(Object.keys(filters).length === 0 ? {} : { filters }) };
  if (Object.keys(paging).length === 0 && words.filters === undefined) return [];
  const doubts = [
    ...(Object.keys(paging).length === 0 ? [] : ['whether these parameters choose its pages']),
    ...(words.filters === undefined ? [] : ['whether each filter finds at least what is equal']),
  ];
  return [{ pointer, words, note: `Look first ${doubts.join(', and ')}.`, isDoubtful: true }];
}

/** Words about pages, and the names that their parameters commonly have. */
const PARAMETERS: Readonly<Record<string, ReadonlySet<string>>> = {
  top: new Set(['limit', 'perpage', 'pagesize', 'size', 'maxresults', 'take', 'top', 'pagelimit']),
  skip: new Set(['offset', 'skip', 'startat', 'startindex', 'pageoffset']),
  page: new Set(['page', 'pagenumber', 'pageindex']),
  cursor: new Set(['cursor', 'pagetoken', 'startingafter', 'nexttoken', 'pagecursor']),
};

const TOTALS: ReadonlySet<string> = new Set(['total', 'totalcount', 'totalresults', 'totalitems']);

function pagingWords(source: DocumentSource, operation: DocumentOperation): Readonly<Record<string, string>> {
  const said = Object.entries(PARAMETERS).flatMap(([word, names]) => {
    const found = queryParameters(operation).find(({ name }) => names.has(styleless(name)));
    return found !== undefined && VOCABULARY.operation.has(word) ? [[word, found.name] as const] : [];
  });
  if (said.length === 0) return {};
  const answer = members(member(resolve(source, operation.answer), 'properties'));
  const total = answer.find(([name]) => TOTALS.has(styleless(name)))?.[0];
  return { ...Object.fromEntries(said), ...(total === undefined ? {} : { total }) };
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
