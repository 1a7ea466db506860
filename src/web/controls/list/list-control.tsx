import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { screenAddress } from '../../service/addresses.ts';
import {
  type Entity,
  fillTemplate,
  isEntity,
  templateProperties,
  valueAt,
  writeValue,
} from '../../service/entity.ts';
import { type EntitySet, isComparable, type Property, propertyOf } from '../../service/metadata.ts';
import { dataUrl, requestJson } from '../../service/request.ts';
import { Empty } from '../../state/empty.tsx';
import { Failure } from '../../state/failure.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { InputField } from '../form/input-field.tsx';
import { readInput, writeInput } from '../form/input-value.ts';
import { RelatedLink } from '../form/reference-input.tsx';
import { type Choice, Form, Select, SelectField } from '../inputs.tsx';
import { quantity } from '../quantity.ts';
import type { ListConfiguration } from '../screen.ts';
import {
  type Filter,
  type ListQuery,
  OPERATOR_LABELS,
  operatorsOf,
  readListQuery,
  readSort,
  takesValue,
  writeFileOptions,
  writeFilter,
  writeListQuery,
  writeOptions,
  writeSort,
} from './list-query.ts';
import { MoreItems } from './more-items.tsx';
import { SearchBox } from './search-box.tsx';

interface ListControlProps {
  readonly configuration: ListConfiguration;
  readonly entitySet: EntitySet;
}

/** A list of entities with search, sorting and filters by the service, loaded while scrolling. */
export function ListControl({ configuration, entitySet }: ListControlProps) {
  const [parameters, setParameters] = useSearchParams();
  const query = readListQuery(parameters, entitySet);
  const pages = useListPages(configuration.dataPath, entitySet, query);
  const change = (next: ListQuery): void => setParameters(writeListQuery(next), { replace: true });
  const reset = (): void => change({ search: '', sort: query.sort, filters: [] });
  const entities = pages.data?.pages.flatMap((page) => page.entities) ?? [];
  const count = pages.data?.pages[0]?.count;
  return (
    <section aria-label={entitySet.name} aria-busy={pages.isFetching}>
      <ListTools dataPath={configuration.dataPath} entitySet={entitySet} query={query} onChange={change} />
      {pages.data !== undefined && <ItemCount count={count ?? entities.length} />}
      {pages.isPending && <LoadingRows />}
      {pages.isError && entities.length === 0 && (
        <Failure error={pages.error} retry={() => pages.refetch()} what={entitySet.name} />
      )}
      {pages.isSuccess && entities.length === 0 && (
        <Empty isNarrowed={query.search !== '' || query.filters.length > 0} reset={reset} />
      )}
      {entities.length > 0 && (
        <div className={pages.isPlaceholderData ? 'stale' : undefined}>
          <ListItems configuration={configuration} entitySet={entitySet} entities={entities} query={query} />
          <MoreItems pages={pages} />
        </div>
      )}
    </section>
  );
}

function ItemCount({ count }: { readonly count: number }) {
  return (
    <p className="count" role="status">
      {quantity(count, 'item')}
    </p>
  );
}

interface ListItemsProps {
  readonly configuration: ListConfiguration;
  readonly entitySet: EntitySet;
  readonly entities: readonly Entity[];
  readonly query: ListQuery;
}

function ListItems({ configuration, entitySet, entities, query }: ListItemsProps) {
  const { search } = useLocation();
  const shown = extraProperties(configuration, entitySet, query);
  return (
    <ul className="items">
      {entities.map((entity) => (
        <li key={keyOf(entity, entitySet)}>
          <Link to={addressOf(configuration, entity)} state={{ parentSearch: search }} className="item">
            <span className="item-key">{keyOf(entity, entitySet)}</span>
            <ItemTitle text={fillTemplate(configuration.itemTitle, entity)} />
            {shown.map((name) => (
              <span className="item-extra" key={name}>
                <span className="item-extra-label">{propertyOf(entitySet, name)?.label}</span>{' '}
                {writeValue(entity[name]) || '–'}
              </span>
            ))}
          </Link>
          <RelatedLinks entity={entity} entitySet={entitySet} />
        </li>
      ))}
    </ul>
  );
}

/** The most links to related entities of one item. */
const MOST_LINKS = 4;

function RelatedLinks({
  entity,
  entitySet: { references },
}: Pick<ListItemsProps, 'entitySet'> & { readonly entity: Entity }) {
  const values = [...references].map(([path, reference]) => ({
    path,
    reference,
    value: valueAt(entity, path),
  }));
  const found = values.filter(({ value }) => value !== null && value !== undefined).slice(0, MOST_LINKS);
  if (found.length === 0) return null;
  return (
    <p className="item-related">
      {found.map(({ path, reference, value }) => (
        <RelatedLink key={path} reference={reference} value={value} />
      ))}
    </p>
  );
}

function ItemTitle({ text }: { readonly text: string }) {
  return text === '' ? (
    <span className="item-title untitled">Untitled</span>
  ) : (
    <span className="item-title">{text}</span>
  );
}

/** Properties of the order and the filters, which are shown unless the title or the key contains them. */
function extraProperties(
  { itemTitle }: ListConfiguration,
  { key }: EntitySet,
  { sort, filters }: ListQuery,
): readonly string[] {
  const shown = new Set([...templateProperties(itemTitle), ...key.map(({ path }) => path)]);
  const queried = [sort?.property ?? [], filters.map((filter) => filter.property)].flat();
  return [...new Set(queried)].filter((name) => !shown.has(name));
}

function keyOf(entity: Entity, { key }: EntitySet): string {
  return key.map(({ path }) => writeValue(valueAt(entity, path))).join(' · ');
}

function addressOf({ targetUrl, parameters }: ListConfiguration, entity: Entity): string {
  const filled = Object.entries(parameters).map(([name, template]) => [name, fillTemplate(template, entity)]);
  return `${screenAddress(targetUrl)}?${new URLSearchParams(filled)}`;
}

interface ListToolsProps {
  readonly entitySet: EntitySet;
  readonly query: ListQuery;
  readonly onChange: (query: ListQuery) => void;
}

const FILES = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
] as const;

/** Search, sorting, filters and downloads of a list. */
function ListTools({ dataPath, ...props }: ListToolsProps & { readonly dataPath: string }) {
  const { entitySet, query, onChange } = props;
  const [isFiltering, setFiltering] = useState(false);
  const add = (filter: Filter): void => {
    setFiltering(false);
    onChange({ ...query, filters: [...query.filters, filter] });
  };
  const remove = (filter: Filter): void =>
    onChange({ ...query, filters: query.filters.filter((other) => other !== filter) });
  return (
    <div className="tools">
      <div className="tool-row">
        {entitySet.searchable && (
          <SearchBox value={query.search} onChange={(search) => onChange({ ...query, search })} />
        )}
        <SortSelect {...props} />
        <button type="button" aria-expanded={isFiltering} onClick={() => setFiltering(!isFiltering)}>
          Filter
        </button>
        {FILES.map(([format, label]) => (
          <a
            key={format}
            className="button"
            href={`${dataUrl(dataPath)}?${writeFileOptions(format, query, entitySet)}`}
            download
          >
            Download {label}
          </a>
        ))}
      </div>
      {isFiltering && <FilterEditor entitySet={entitySet} onAdd={add} />}
      <FilterChips entitySet={entitySet} filters={query.filters} onRemove={remove} />
    </div>
  );
}

function SortSelect({ entitySet, query, onChange }: ListToolsProps) {
  const orders = entitySet.properties.filter(isComparable).flatMap(({ name, label }): readonly Choice[] => [
    [name, `${label}, ascending`],
    [`${name} desc`, `${label}, descending`],
  ]);
  return (
    <Select
      className="sort"
      aria-label="Sort by"
      value={query.sort === undefined ? '' : writeSort(query.sort)}
      choices={[['', 'Default order'], ...orders]}
      onChange={(sort) => onChange({ ...query, sort: readSort(sort, entitySet) })}
    />
  );
}

interface FilterChipsProps {
  readonly entitySet: EntitySet;
  readonly filters: readonly Filter[];
  readonly onRemove: (filter: Filter) => void;
}

function FilterChips({ entitySet, filters, onRemove }: FilterChipsProps) {
  if (filters.length === 0) return null;
  return (
    <ul className="chips" aria-label="Filters">
      {filters.map((filter) => {
        const text = describeFilter(filter, entitySet);
        return (
          <li key={writeFilter(filter)} className="chip">
            {text}
            <button type="button" aria-label={`Remove the filter: ${text}`} onClick={() => onRemove(filter)}>
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function describeFilter({ property, operator, value }: Filter, entitySet: EntitySet): string {
  const label = propertyOf(entitySet, property)?.label ?? property;
  return `${label} ${OPERATOR_LABELS[operator]} ${value}`.trim();
}

interface FilterEditorProps {
  readonly entitySet: EntitySet;
  readonly onAdd: (filter: Filter) => void;
}

/** Creates a filter on a property. */
function FilterEditor({ entitySet, onAdd }: FilterEditorProps) {
  const properties = entitySet.properties.filter(isComparable);
  const [property, setProperty] = useState<Property | undefined>(properties[0]);
  if (property === undefined) return <p>None of the properties can be filtered.</p>;
  return (
    <div className="filter-editor">
      <SelectField
        label="Property"
        value={property.name}
        choices={properties.map(({ name, label }) => [name, label])}
        onChange={(chosen) => setProperty(properties.find(({ name }) => name === chosen))}
      />
      <ConditionEditor key={property.name} property={property} onAdd={onAdd} />
    </div>
  );
}

interface ConditionEditorProps {
  readonly property: Property;
  readonly onAdd: (filter: Filter) => void;
}

/** The state of a new filter, which is added when its value is valid. */
function useCondition({ property, onAdd }: ConditionEditorProps) {
  const [operator, setOperator] = useState(operatorsOf(property)[0] ?? 'eq');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (): void => {
    const read = takesValue(operator) ? readInput({ ...property, nullable: false }, text) : undefined;
    if (read?.kind === 'problem') setProblem(read.message);
    else onAdd({ property: property.name, operator, value: read?.kind === 'value' ? writeInput(read) : '' });
  };
  return { operator, setOperator, text, setText, problem, submit };
}

function ConditionEditor(props: ConditionEditorProps) {
  const { property } = props;
  const operators = operatorsOf(property);
  const { operator, setOperator, text, setText, problem, submit } = useCondition(props);
  return (
    <Form className="condition" submit={submit} noValidate>
      <SelectField
        label="Condition"
        value={operator}
        choices={operators.map((one) => [one, OPERATOR_LABELS[one]])}
        onChange={(chosen) => setOperator(operators.find((one) => one === chosen) ?? operator)}
      />
      {takesValue(operator) && (
        <InputField
          property={{ ...property, label: 'Value', description: undefined, nullable: true }}
          isSingleLine
          text={text}
          problem={problem}
          onChange={setText}
        />
      )}
      <button type="submit" className="primary">
        Add filter
      </button>
    </Form>
  );
}

interface ListPage {
  readonly entities: readonly Entity[];
  readonly count: number | undefined;
  /** Present if the service returned a part of the page. */
  readonly nextLink: string | undefined;
}

type PageParameter = { readonly skip: number } | { readonly nextLink: string };

const PAGE_SIZE = 30;
const FIRST_PAGE: PageParameter = { skip: 0 };

/** The entities of the query by page, and their total. */
function useListPages(dataPath: string, entitySet: EntitySet, query: ListQuery) {
  return useInfiniteQuery({
    queryKey: ['entities', dataPath, query],
    queryFn: ({ pageParam, signal }) => readPage(pageUrl(dataPath, entitySet, query, pageParam), signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: nextPage,
    // Keeps the list while another query is loading.
    placeholderData: keepPreviousData,
  });
}

function pageUrl(dataPath: string, entitySet: EntitySet, query: ListQuery, page: PageParameter): string {
  if ('nextLink' in page) return page.nextLink;
  return `${dataUrl(dataPath)}?${writeOptions(query, entitySet, page.skip, PAGE_SIZE)}`;
}

async function readPage(url: string, signal: AbortSignal): Promise<ListPage> {
  const body = await requestJson(url, { signal });
  const answer = isEntity(body) ? body : {};
  const { value, '@odata.count': count, '@odata.nextLink': nextLink } = answer;
  return {
    entities: Array.isArray(value) ? value.filter(isEntity) : [],
    count: count === undefined ? undefined : Number(count),
    nextLink: typeof nextLink === 'string' ? onThisHost(nextLink) : undefined,
  };
}

/** The link contains the public URL, but the page may have another host, such as that of a tunnel. */
function onThisHost(link: string): string {
  const { pathname, search } = new URL(link, document.baseURI);
  return pathname + search;
}

function nextPage(last: ListPage, pages: readonly ListPage[]): PageParameter | undefined {
  if (last.nextLink !== undefined) return { nextLink: last.nextLink };
  const skip = pages.reduce((sum, { entities }) => sum + entities.length, 0);
  const isComplete = last.count === undefined ? last.entities.length < PAGE_SIZE : skip >= last.count;
  return isComplete || last.entities.length === 0 ? undefined : { skip };
}
