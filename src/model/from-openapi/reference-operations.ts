import type { EntityType } from '../edm.ts';
import type { NavigationProperty } from '../structured-type.ts';
import { type DocumentNode, member, text } from './document-node.ts';
import type { DocumentOperation } from './document-operation.ts';
import { quote } from './document-source.ts';
import type { NamedOperations } from './entity-settings.ts';
import { calling } from './model-operation.ts';
import { fillParameters, type Place } from './place.ts';

type EntityTypes = ReadonlyMap<string, EntityType>;

/** The types with the operations that edit the links of their navigation properties (`x-odata.addRef`, `removeRef`). */
export function withReferenceOperations(
  named: NamedOperations,
  places: readonly Place[],
  types: EntityTypes,
): EntityTypes {
  return named.operations.reduce((known, operation) => {
    const settings = member(operation.node, 'x-odata');
    const added = withReference(named, places, known, operation, 'addReference', member(settings, 'addRef'));
    return withReference(named, places, added, operation, 'removeReference', member(settings, 'removeRef'));
  }, types);
}

/** The property is named alone where the path leads through its entity, else with its type: `Order/Items`. */
function withReference(
  named: NamedOperations,
  places: readonly Place[],
  types: EntityTypes,
  operation: DocumentOperation,
  role: 'addReference' | 'removeReference',
  said: DocumentNode | undefined,
): EntityTypes {
  if (said === undefined) return types;
  const [propertyName = '', typeName] = (text(said) ?? '').split('/').toReversed();
  const place = places
    .filter((each) => typeName === undefined || each.entity.name === typeName)
    .filter((each) => fillParameters(each, operation) !== undefined)
    .toSorted((a, b) => b.segments.length - a.segments.length)[0];
  const type = place && types.get(place.entity.name);
  const property = type?.navigationProperties.get(propertyName);
  if (place === undefined || type === undefined || property === undefined) {
    named.derivation.source.report(
      'error',
      said.pointer,
      `${quote(said.value)} is no navigation property there`,
    );
    return types;
  }
  named.used.add(operation);
  const parameters = fillParameters(place, operation) ?? [];
  const edited: NavigationProperty = {
    ...property,
    [role]: calling(named.derivation, operation, parameters),
  };
  const navigationProperties = new Map([...type.navigationProperties, [propertyName, edited] as const]);
  return new Map([...types, [type.name, { ...type, navigationProperties }] as const]);
}
