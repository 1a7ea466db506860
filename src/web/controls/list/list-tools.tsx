import { useState } from 'react';
import { dataUrl } from '../../service/base.ts';
import { type EntitySet, isComparable, propertyOf } from '../../service/metadata.ts';
import { type Filter, OPERATOR_LABELS, writeFilter } from './filter.ts';
import { FilterEditor } from './filter-editor.tsx';
import { type ListQuery, readSort, writeFileOptions, writeSort } from './list-query.ts';
import { SearchBox } from './search-box.tsx';

interface ListToolsProps {
  readonly entitySet: EntitySet;
  readonly query: ListQuery;
  readonly onChange: (query: ListQuery) => void;
}

const FILES = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
] as const;

/** Search, order and filters of a list, and its files. */
export function ListTools({ dataPath, ...props }: ListToolsProps & { readonly dataPath: string }) {
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
  const value = query.sort === undefined ? '' : writeSort(query.sort);
  return (
    <label className="sort">
      <span className="visually-hidden">Sort by</span>
      <select
        value={value}
        onChange={(event) => onChange({ ...query, sort: readSort(event.target.value, entitySet) })}
      >
        <option value="">Default order</option>
        {entitySet.properties
          .filter(isComparable)
          .flatMap(({ name, label }) => [
            <option key={name} value={name}>{`${label}, ascending`}</option>,
            <option key={`${name} desc`} value={`${name} desc`}>{`${label}, descending`}</option>,
          ])}
      </select>
    </label>
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
