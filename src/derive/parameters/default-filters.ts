import { meshName } from '../../model/mesh-name.ts';
import { foldedName } from '../../model/names.ts';
import type { DefaultFilter, ListOperation } from '../../model/operation.ts';
import { type DocumentNode, member, text } from '../../openapi/document/document-node.ts';
import { itemNode, jsonTypes, keyword, type Schema, valueNodes } from '../../openapi/schemas/schema.ts';
import { givenParameter } from '../answers/page-words.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import type { NamedProperty } from '../edm-types/structural-property.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, DocumentParameter } from '../operations/document-operation.ts';
import { DIRECTION_WORD, NO_CONDITION, SORT_WORD } from './list-parameters.ts';

/** The most values of an enumeration that a list is called for, one after another. */
const MOST_VALUES = 8;

/** Values by which nothing is left out. */
const ALL = /^(?:\*|(?:all|any|both|everything)(?:[ _-]?(?:items|records|results|entries))?)$/i;

/** Values that mean that nothing is narrowed. */
const NOTHING = /^(?:none|null|undefined)?$/i;

/** Names of parameters that request all entities if they are true. */
const WHOLE = /^(?:(?:show|include|list|fetch|get|return|with)?all)$/;

/** Names of parameters that exclude entities if they are true. */
const LEAVES_OUT = /^(?:exclude|excluding|hide|without|no|only)|only$/;

/** Names of parameters that exclude entities if they are false. */
const LETS_IN =
  /^(?:include|includes|including|with|show)s?(?:inactive|disabled|deleted|archived|deprecated|hidden|cancell?ed|closed|completed|suspended|expired|drafts?|trashed|read|resolved)/;

/** Names of parameters that narrow a list, whatever its rows have. */
const NARROWS =
  /^(?:status|state|filter|range|period|timeframe|(?:time|date)(?:range|period)|scope|visibility|type|kind|category|role)$|(?:status|state|filter|range|type)$/;

type Rows = Pick<EntityPlan, 'properties'>;

/**
 * The query parameters of a list whose default excludes entities, with the value that requests all of them:
 * the value for all, or each value of the enumeration. `x-odata.all` of a parameter names the value; `false`
 * means that the default is intended. Reports defaults without such a value.
 */
export function defaultFilters(
  derivation: Derivation,
  operation: DocumentOperation,
  rows: Rows,
  { paging, fixed = [], lacks = [] }: Pick<ListOperation, 'paging' | 'fixed' | 'lacks'>,
): Pick<ListOperation, 'defaults'> {
  const pages = [paging?.size, ...(paging?.ways ?? [])].map((each) => each && nameOf(each));
  const taken = new Set([...pages, ...fixed.map(({ name }) => name)]);
  const shown = rows.properties.filter(({ name }) => !lacks.includes(name));
  const found = operation.parameters.flatMap((parameter): readonly DefaultFilter[] => {
    const schema = parameter.schema && derivation.read(parameter.schema);
    const isOpen = parameter.in === 'query' && !taken.has(meshName(parameter.name));
    const settings = member(parameter.node, 'x-odata');
    if (schema === undefined || !isOpen || member(settings, 'derive')?.value === false) return [];
    const filter = defaultFilter(derivation, { parameter, schema, settings }, shown);
    return filter === undefined ? [] : [filter];
  });
  for (const { name, standing } of found) {
    if (standing === undefined) continue;
    const message = `The API takes ${name} to be ${standing} where it is not sent: the list may lack entities with other values`;
    const hint =
      'x-odata.all of the parameter names the value for all of them, or is false where these are meant';
    derivation.source.report('warning', operation.node.pointer, `${message}; ${hint}`, 'filter-by-default');
  }
  return found.length > 0 ? { defaults: found } : {};
}

function nameOf(each: { readonly parameter: { readonly name: string } }): string {
  return each.parameter.name;
}

interface Parameter {
  readonly parameter: DocumentParameter;
  readonly schema: Schema;
  readonly settings: DocumentNode | undefined;
}

function defaultFilter(
  derivation: Derivation,
  { parameter, schema, settings }: Parameter,
  rows: readonly NamedProperty[],
): DefaultFilter | undefined {
  const isList = jsonTypes(schema).includes('array');
  const node = isList ? itemNode(schema) : undefined;
  const values = node === undefined ? schema : derivation.read(node);
  if (values === undefined) return undefined;
  const property = comparedProperty(parameter, values, rows);
  const { values: bounds } = givenParameter(derivation, { ...parameter, schema: node ?? parameter.schema });
  const base = {
    parameter: meshName(parameter.name),
    name: parameter.name,
    isList,
    values: bounds,
    ...(property !== undefined && { property: property.name }),
  };
  const settled = settledAll(derivation, settings);
  if (settled !== undefined) return settled === false ? undefined : { ...base, whole: [[settled]] };
  const standing = standingValues(schema);
  if (standing.length === 0 || standing.some((value) => ALL.test(value) || NOTHING.test(value)))
    return undefined;
  const name = foldedName(parameter.name);
  if (NO_CONDITION.test(name) || SORT_WORD.test(name) || DIRECTION_WORD.test(name)) return undefined;
  if (jsonTypes(values).includes('boolean')) return ofFlag(base, name, standing);
  const texts = (bounds.values ?? []).filter((value) => !NOTHING.test(value));
  const all = texts.find((value) => ALL.test(value));
  const isNarrowing = property !== undefined || (texts.length > 1 && NARROWS.test(name));
  if (!isNarrowing) return undefined;
  if (all !== undefined) return { ...base, whole: [[all]] };
  const isEachKnown = property !== undefined && texts.length > 1 && (isList || texts.length <= MOST_VALUES);
  if (isEachKnown) return { ...base, whole: isList ? [texts] : texts.map((value) => [value]) };
  return { ...base, whole: [], standing: standing.join(', ') };
}

/** A boolean parameter: if no property has its name, only some names denote a filter. */
function ofFlag(
  base: Omit<DefaultFilter, 'whole' | 'standing'>,
  name: string,
  [standing = '']: readonly string[],
): DefaultFilter | undefined {
  if (WHOLE.test(name)) return standing === 'true' ? undefined : { ...base, whole: [['true']] };
  const isNarrowing = standing === 'true' ? LEAVES_OUT.test(name) : LETS_IN.test(name);
  if (base.property === undefined && !isNarrowing) return undefined;
  return { ...base, whole: [], standing };
}

/** `x-odata.all` of a parameter: the value by which nothing is left out, or `false`. */
function settledAll({ source }: Derivation, settings: DocumentNode | undefined): string | false | undefined {
  const node = member(settings, 'all');
  if (settings === undefined || node === undefined) return undefined;
  source.usedKeywords.set(settings.value, (source.usedKeywords.get(settings.value) ?? new Set()).add('all'));
  return node.value === false ? false : text(node);
}

/** The values that the document gives for a parameter that is not sent. */
function standingValues(schema: Schema): readonly string[] {
  const value = keyword(schema, 'default')?.value ?? null;
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each) => each !== null && typeof each !== 'object').map(String);
}

/** The property of the name of a parameter, if both have values of one type, and the property those of the parameter. */
function comparedProperty(
  { name }: DocumentParameter,
  values: Schema,
  rows: readonly NamedProperty[],
): NamedProperty | undefined {
  const wanted = foldedName(name.replace(/^(?:filters?|where)[[.](.+?)\]?$/i, '$1'));
  const property = rows.find(({ upstreamName }) => foldedName(upstreamName) === wanted);
  if (property === undefined || property.argument === true || property.aliasOf !== undefined)
    return undefined;
  const [sent, had] = [jsonTypes(values), jsonTypes(property.schema)];
  if (sent.length > 0 && !sent.some((type) => had.includes(type))) return undefined;
  const known = new Set(valueNodes(property.schema).map(({ value }) => String(value)));
  const taken = valueNodes(values).map(({ value }) => String(value));
  const isAlike = taken.length === 0 || known.size === 0 || taken.some((value) => known.has(value));
  return isAlike ? property : undefined;
}
