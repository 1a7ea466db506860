import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { SentType } from '../../model/operation.ts';
import { sentWithin, takenProperties } from '../../model/sent-type.ts';
import type { EntityInput, NavigationBinding, NestedEntities, WrittenLink } from '../input/entity-input.ts';
import { notImplemented } from '../resource/resource-error.ts';
import type { Changing } from './compensation.ts';
import { extendedInput } from './extended-input.ts';
import { linkedValues } from './linked-values.ts';

/** Who reads input that refers to entities, and which of its properties may say so. */
export interface Binder {
  readonly site: Changing;
  /** Whether the operation takes a value for that property. */
  readonly isSettable: (type: EntityType, property: string) => boolean;
  /** What the operation takes. */
  readonly sent: SentType | undefined;
}

/**
 * The body with the foreign keys of the entities that it refers to (Part 1, 11.4.2.1; JSON Format, 8.5), also
 * within what stands in its own JSON. The bindings that are left are those that no property of the entity says.
 */
export async function boundInput(binder: Binder, body: EntityInput): Promise<EntityInput> {
  const nested = await Promise.all(body.nested.map((each) => boundEntities(binder, each)));
  const isSame = nested.every((each, index) => each === body.nested[index]);
  const isOwn = (binding: NavigationBinding) => isForeignKey(binder, body, binding);
  const own = body.bindings.filter(isOwn);
  if (own.length === 0 && isSame) return body;
  const found = await Promise.all(own.map((binding) => boundValues(binder, body, binding)));
  const bindings = body.bindings.filter((binding) => !isOwn(binding));
  const values = Object.assign({}, ...found);
  return { ...extendedInput(body, { values, nested }), bindings };
}

/** Whether properties of the entity say which one the other is, and may be given. */
function isForeignKey(
  { isSettable }: Binder,
  { entityType }: EntityInput,
  { property: { constraints } }: NavigationBinding,
): boolean {
  return constraints.length > 0 && constraints.every(({ property }) => isSettable(entityType, property));
}

async function boundEntities(binder: Binder, nested: NestedEntities): Promise<NestedEntities> {
  const { property, entities } = nested;
  if (property.origin.kind !== 'embedded') return nested;
  const within = { ...binder, sent: sentWithin(binder.sent, property.origin) };
  const bound = await Promise.all(entities.map((each) => boundInput(within, each)));
  const left = bound.flatMap(({ bindings }) => bindings)[0];
  if (left !== undefined) throw notImplemented(`"${left.property.name}" in a body`, left.path);
  return bound.every((each, index) => each === entities[index]) ? nested : { property, entities: bound };
}

async function boundValues(
  { site, sent }: Binder,
  { entityType, values }: EntityInput,
  binding: NavigationBinding,
): Promise<Row> {
  const { property, path: target, links } = binding;
  const [written] = links;
  const found = written === undefined ? {} : await keyOf(site, written, binding, property.entityType);
  const bound = property.constraints.map((each) => {
    return [each.property, found[each.referencedProperty] ?? null] as const;
  });
  for (const [name, value] of bound) {
    const isNullable = takenProperties(entityType, sent).get(name)?.nullable === true;
    if (value === null && !isNullable) throw misbound(target, 'an entity', 'null');
    const given = values[name];
    if (given !== undefined && String(given) !== String(value)) {
      throw misbound(target, `the entity that "${name}" says`, 'another one');
    }
  }
  return Object.fromEntries(bound);
}

async function keyOf(
  site: Changing,
  written: WrittenLink,
  { property }: NavigationBinding,
  type: EntityType,
): Promise<Row> {
  const entity = site.entityOf(written, type);
  const names = property.constraints.map(({ referencedProperty }) => referencedProperty);
  return linkedValues(site, entity, names, written);
}

function misbound(target: string, expected: string, found: string): GatewayError {
  return new GatewayError('BadRequest', `${target}: expected ${expected}, found ${found}.`, { target });
}
