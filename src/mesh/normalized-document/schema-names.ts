import { meshName } from '../../model/derive/names/mesh-name.ts';
import { placeName, pointerName } from '../../model/names.ts';
import { type DocumentNode, member, members, text } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { componentName, type Schema } from '../../openapi/schemas/schema.ts';

/** The names under which the prepared document has its schemas: Mesh names types after them. */
export interface SchemaNames {
  /** For a component, or for a part of one that is referred to. */
  readonly component: (schema: Schema) => string;
  /** For a schema that stands where it is used: after its title, else as suggested. */
  readonly inline: (schema: Schema, suggested: string) => string;
  /** For a type that the document has no schema of. */
  readonly made: (suggested: string) => string;
}

/**
 * Names schemas as Mesh does: after their title where no component has that, else after their names in the
 * document. No name is given twice: where one is taken, the next is made of all that leads to the schema, and has a
 * number only where that is taken, too.
 */
export function schemaNames({ root }: DocumentSource): SchemaNames {
  const schemas = members(member(member(root, 'components'), 'schemas'));
  const titles = Map.groupBy(schemas, ([name, node]) => typeName(titleOf(node) ?? name));
  const taken = new Set<string>();
  const take = (choice: readonly [string, ...string[]], isFree: (name: string) => boolean): string => {
    const isOpen = (name: string): boolean => isFree(name) && !taken.has(name);
    const free = choice.find(isOpen) ?? numbered(choice[0], isOpen);
    taken.add(free);
    return free;
  };
  // Each component will have its name, whenever it is referred to for the first time.
  const isNoComponent = (name: string): boolean => !titles.has(name);
  return {
    component: (schema) => {
      const title = ownTitle(schema);
      const isUnique = title !== undefined && titles.get(typeName(title))?.length === 1;
      const written = isUnique ? title : (componentName(schema) ?? partName(schema.identity));
      const whole = pointerName(schema.identity) ?? written;
      const place = placeName(schema.identity) ?? whole;
      return take([typeName(written), typeName(whole), typeName(place)], () => true);
    },
    inline: (schema, suggested) => {
      const places = [pointerName(schema.identity), placeName(schema.identity)].map(
        (name) => name ?? suggested,
      );
      const names = [suggested, ...places].map(typeName);
      return take([typeName(ownTitle(schema) ?? suggested), ...names], isNoComponent);
    },
    made: (suggested) => take([typeName(suggested)], isNoComponent),
  };
}

function ownTitle({ layers, identity }: Schema): string | undefined {
  return titleOf(layers.find(({ pointer }) => pointer === identity));
}

function titleOf(node: DocumentNode | undefined): string | undefined {
  const title = text(member(node, 'title'))?.trim();
  return title === '' ? undefined : title;
}

function numbered(name: string, isFree: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}${number}`;
    if (isFree(candidate)) return candidate;
  }
}

/** The names in a pointer to a schema: `/components/schemas/Order/properties/state` says `Order_state`. */
function partName(pointer: string): string {
  const names = pointer.split('/').filter((name) => name !== '' && !isKeyword(name));
  const isComponent = pointer.startsWith('/components/schemas/');
  return isComponent ? names.join('_') : (pointerName(pointer) ?? 'Document');
}

function isKeyword(name: string): boolean {
  return /^(components|schemas|properties|items|(all|one|any)Of|paths|responses|content|schema|\d+|.*~1.*)$/.test(
    name,
  );
}

/** Types that Mesh has of itself, and titles that it takes for something else; so it does with `constructor`. */
const OWN_NAMES: ReadonlySet<string> = new Set(
  `Any _schema Query Mutation Subscription QueryInput MutationInput SubscriptionInput String Int Float Boolean ID
  JSON Void File BigInt Byte Date DateTime Time UUID ObjMap HTTPMethod`.split(/\s+/),
);

function typeName(written: string): string {
  const name = meshName(written);
  return OWN_NAMES.has(name) || name in Object.prototype ? `${name}_` : name;
}

/**
 * A type that others are derived from. Mesh has a union by its name, of the object types that its values are
 * of.
 */
export interface TypeFamily {
  readonly name: string;
  /** The object type of values that are of no derived type. */
  readonly plain: string;
  /** The property that tells the type, by the upstream's name. */
  readonly discriminator: string;
  /** The object types by the values of that property. */
  readonly objects: ReadonlyMap<string, string>;
}
