import { Link, useLocation } from 'react-router';
import { screenAddress } from '../../service/addresses.ts';
import { type Entity, fillTemplate, templateProperties, valueAt, writeValue } from '../../service/entity.ts';
import { type EntitySet, propertyOf } from '../../service/metadata.ts';
import type { ListConfiguration } from '../screen.ts';
import type { ListQuery } from './list-query.ts';

interface ListItemsProps {
  readonly configuration: ListConfiguration;
  readonly entitySet: EntitySet;
  readonly entities: readonly Entity[];
  readonly query: ListQuery;
}

export function ListItems({ configuration, entitySet, entities, query }: ListItemsProps) {
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
        </li>
      ))}
    </ul>
  );
}

function ItemTitle({ text }: { readonly text: string }) {
  return text === '' ? (
    <span className="item-title untitled">Untitled</span>
  ) : (
    <span className="item-title">{text}</span>
  );
}

/** What the list is sorted or filtered by is shown, unless the title or the key does already. */
function extraProperties(
  { itemTitle }: ListConfiguration,
  { key }: EntitySet,
  { sort, filters }: ListQuery,
): readonly string[] {
  const shown = new Set([...templateProperties(itemTitle), ...key.map(({ path }) => path)]);
  const asked = [sort?.property ?? [], filters.map((filter) => filter.property)].flat();
  return [...new Set(asked)].filter((name) => !shown.has(name));
}

function keyOf(entity: Entity, { key }: EntitySet): string {
  return key.map(({ path }) => writeValue(valueAt(entity, path))).join(' · ');
}

function addressOf({ targetUrl, parameters }: ListConfiguration, entity: Entity): string {
  const filled = Object.entries(parameters).map(([name, template]) => [name, fillTemplate(template, entity)]);
  return `${screenAddress(targetUrl)}?${new URLSearchParams(filled)}`;
}
