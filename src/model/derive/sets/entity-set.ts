import { text } from '../../../openapi/document/document-node.ts';
import { quote } from '../../../openapi/document/document-source.ts';
import { ownKeyword, ownSetting, type Schema, setting } from '../../../openapi/schemas/schema.ts';
import type { DescribedEntitySet, DescribedEntityType } from '../../description.ts';
import { isResourceName } from '../../names.ts';
import type { ListOperation } from '../../operation.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, PathSegment } from '../operations/document-operation.ts';
import { schemaGrants } from '../operations/grants.ts';
import { changesOperation } from './changes-operation.ts';
import type { EntitySetPlan } from './entity-set-plan.ts';
import { type NamedOperations, pagedList } from './entity-settings.ts';
import { fixedParameters } from './filtered-set-plan.ts';
import { calling, changing, insertion, listing, reading } from './model-operation.ts';
import { fillParameters, placeOf } from './place.ts';
import { pathNames } from './set-name.ts';

/**
 * Names for an entity set: `x-odata.entitySet`, else the type's where its path says the same, else the words of the
 * path.
 */
export function entitySetNames(
  { source, pathPrefix }: Derivation,
  schema: Schema,
  segments: readonly PathSegment[],
  typeName: string | undefined,
): NameChoice {
  const said = ownSetting(schema, 'entitySet');
  const name = text(said);
  const isName = name !== undefined && isResourceName(name);
  if (said !== undefined && !isName) {
    source.report('error', said.pointer, `${quote(said.value)} cannot be the name of an entity set`);
  }
  const [first = typeName ?? 'Entities', ...others] = pathNames(segments, pathPrefix, typeName);
  return isName ? [name, first, ...others] : [first, ...others];
}

export function entitySet(
  named: NamedOperations,
  plan: EntitySetPlan,
  entity: EntityPlan,
  name: string,
  entityType: DescribedEntityType,
  given: Pick<ListOperation, 'fixed' | 'over'>,
): DescribedEntitySet {
  const { derivation } = named;
  const place = plan.read && placeOf(name, entity, plan.read, undefined);
  const parametersOf = (operation: DocumentOperation) => (place && fillParameters(place, operation)) ?? [];
  return {
    name,
    title: text(ownKeyword(plan.schema, 'title')),
    entityType,
    list: plan.list && listing(derivation, plan.list, [], entity, given),
    read: plan.read && reading(derivation, plan.read, plan.schema, parametersOf(plan.read)),
    insert:
      plan.insert &&
      insertion(derivation, plan.insert, entity, [], fixedParameters(plan.insert, given.fixed ?? [])),
    update: plan.change && changing(derivation, plan.change, entity, parametersOf),
    delete: plan.delete && calling(derivation, plan.delete, parametersOf(plan.delete)),
    page: pagedList(named, entity, name),
    changes: changesOperation(named, plan.schema),
    pageSize: pageSize(plan.schema),
    grants: schemaGrants(plan.schema),
  };
}

/** `x-odata.pageSize`; what is no number has been reported. */
function pageSize(schema: Schema): number | undefined {
  const size = setting(schema, 'pageSize')?.value;
  return typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : undefined;
}
