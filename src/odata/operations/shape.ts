import type { EntitySet } from '../../model/edm.ts';
import { contextUrl } from '../payload/context-url.ts';
import { entityUrl } from '../payload/entity-url.ts';
import type { EntityShape } from '../payload/json.ts';
import type { Projection } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import type { Service } from './service.ts';

/** How the rows of a query are written, but for what the single request decides: format and version. */
export function shapeOf(
  { root, model }: Service,
  entitySet: EntitySet,
  { select }: QueryOptions,
  query: Projection,
  entity: boolean,
): Omit<EntityShape, 'format' | 'version'> {
  const selected = select === undefined ? undefined : projectionOf(select, query);
  return {
    model,
    entityType: entitySet.entityType,
    canonical: (row) => entityUrl(entitySet.name, entitySet.entityType, row),
    computed: query.computed,
    shown: query.selected,
    exact: query.exact,
    contextUrl: contextUrl(
      root,
      {
        kind: entity ? 'entity' : 'entities',
        path: entitySet.name,
        projection: { select: selected, expand: [] },
      },
      '4.0',
    ),
  };
}

/** The select list of a context URL (Part 1, 10.7): `*` stands for all declared properties. */
function projectionOf(select: NonNullable<QueryOptions['select']>, query: Projection): readonly string[] {
  const all = select.some(({ path }) => path.length === 1 && path[0] === '*');
  return all ? ['*', ...query.computed.keys()] : query.selected;
}
