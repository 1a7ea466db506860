import type { DescribedEntityType, DescribedNavigationProperty } from '../../model/description.ts';
import { meshName } from '../../model/mesh-name.ts';
import { pascalCase } from '../../model/names.ts';
import type { OperationParameter, ReferenceMember, ReferenceOperation } from '../../model/operation.ts';
import { type DocumentNode, member, text } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import { isObjectSchema, schemaProperties } from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import type { NamedOperations } from '../sets/entity-set.ts';
import { calling, fillParameters, type Place } from '../sets/model-operation.ts';

type EntityTypes = ReadonlyMap<string, DescribedEntityType>;

/** The types with the operations that edit the links of their navigation properties (`x-odata.addRef`, `removeRef`). */
export function withReferenceOperations(
  named: NamedOperations,
  places: readonly Place[],
  types: EntityTypes,
): EntityTypes {
  return named.operations
    .flatMap(referenceSettings)
    .reduce((known, setting) => withReference(named, places, known, setting), types);
}

/** The settings of an operation that changes links. */
interface ReferenceSetting {
  readonly operation: DocumentOperation;
  readonly role: 'addReference' | 'removeReference';
  /** Names the navigation property. */
  readonly said: DocumentNode;
}

function referenceSettings(operation: DocumentOperation): readonly ReferenceSetting[] {
  const settings = member(operation.node, 'x-odata');
  const [added, removed] = [member(settings, 'addRef'), member(settings, 'removeRef')];
  return [
    ...(added === undefined ? [] : [{ operation, role: 'addReference', said: added } as const]),
    ...(removed === undefined ? [] : [{ operation, role: 'removeReference', said: removed } as const]),
  ];
}

/**
 * Finds the property by its name if the path continues its entity's path, otherwise by type and name:
 * `Order/Items`.
 */
function withReference(
  named: NamedOperations,
  places: readonly Place[],
  types: EntityTypes,
  { operation, role, said }: ReferenceSetting,
): EntityTypes {
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
      `${quote(said.value)} is not a navigation property there`,
    );
    return types;
  }
  const owners = fillParameters(place, operation, place.length + 1) ?? [];
  const key = types.get(property.entityType)?.key ?? [];
  const reference = referencing(named.derivation, operation, owners, key);
  if (reference === undefined) {
    const expected = `the key of ${quote(property.entityType)} in its path, its query or its body`;
    named.derivation.source.report('error', said.pointer, `The operation is left out: expected ${expected}`);
    return types;
  }
  named.used.add(operation);
  const edited: DescribedNavigationProperty = { ...property, [role]: reference };
  const navigationProperties = new Map([...type.navigationProperties, [propertyName, edited] as const]);
  return new Map([...types, [type.name, { ...type, navigationProperties }] as const]);
}

/** The parameters or body members that identify the related entity; undefined if there are no such ones. */
function referencing(
  derivation: Derivation,
  operation: DocumentOperation,
  owners: readonly OperationParameter[],
  key: readonly string[],
): ReferenceOperation | undefined {
  const open = operation.parameters
    .filter(({ required }) => required)
    .map(({ name }) => meshName(name))
    .filter((name) => !owners.some((owner) => owner.name === name));
  if (open.length > 0) {
    const related = keyFor(open, key)?.map(({ name, property }) => ({ name, property }));
    return related && { ...calling(derivation, operation, [...owners, ...related]), body: [] };
  }
  const body = bodyMembers(derivation, operation, key);
  return body && { ...calling(derivation, operation, owners), body };
}

function bodyMembers(
  { read }: Derivation,
  { body }: DocumentOperation,
  key: readonly string[],
): readonly ReferenceMember[] | undefined {
  const schema = body?.schema && read(body.schema);
  if (schema === undefined || !isObjectSchema(schema)) return undefined;
  const members = keyFor([...schemaProperties(schema).keys()], key);
  return members?.map(({ name, property }) => ({ upstreamName: name, property }));
}

/** Assigns names to key properties: by name, or by position if the names do not match. */
function keyFor(
  names: readonly string[],
  key: readonly string[],
): readonly { readonly name: string; readonly property: string }[] | undefined {
  if (names.length !== key.length) return undefined;
  const isNamed = names.every((name) => key.includes(pascalCase(name) ?? ''));
  return names.map((name, index) => ({
    name,
    property: (isNamed ? pascalCase(name) : key[index]) ?? '',
  }));
}
