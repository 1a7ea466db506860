import type { EntityType, Model } from '../../../model/edm.ts';
import { bodyBytes } from './body-bytes.ts';
import type { ReadObject } from './body-reading.ts';
import type { EntityBody } from './entity-body.ts';

/** The body with further values, as a declared type's; `nested` takes the place of what it has so far. */
export function extendedBody(
  model: Model,
  declared: EntityType,
  body: EntityBody,
  added: Pick<EntityBody, 'values' | 'nested'>,
): EntityBody {
  const { entityType: type } = body;
  const values = { ...body.values, ...added.values };
  const { nested } = added;
  const bytes = bodyBytes(model, toReadObject(model, declared, { ...body, values, nested }));
  return { bytes, entityType: type, values, bindings: [], nested, changes: body.changes };
}

function toReadObject(
  model: Model,
  declared: EntityType,
  { entityType: type, values, nested }: EntityBody,
): ReadObject<EntityType> {
  return {
    declared,
    type,
    values,
    bindings: [],
    changes: [],
    nested: nested.map(({ property, entities }) => ({
      property,
      entities: entities.map((each) =>
        toReadObject(model, model.entityTypes.get(property.entityType) ?? each.entityType, each),
      ),
    })),
  };
}
