import { type DocumentNode, member, members, text } from '../../model/from-openapi/document-node.ts';
import type { DocumentSource } from '../../model/from-openapi/document-source.ts';
import { meshName } from '../../model/from-openapi/mesh-name.ts';
import { componentName, type Schema } from '../../model/from-openapi/schema.ts';

/** The names under which the prepared document has its components, and the titles that name their types. */
export interface ComponentNames {
  /** A name that no other component has. */
  readonly name: (schema: Schema, suffix: string) => string;
  /** The title of a schema, where it has one that may name a type. */
  readonly title: (node: DocumentNode) => string | undefined;
}

/**
 * Names components as Mesh does: after their title where no other component has that, else after their
 * names in the document.
 */
export function componentNames({ root }: DocumentSource): ComponentNames {
  const schemas = members(member(member(root, 'components'), 'schemas'));
  const titles = Map.groupBy(schemas, ([name, node]) => typeName(titleOf(node) ?? name));
  const taken = new Set<string>();
  return {
    name: (schema, suffix) => {
      const own = schema.layers.find(({ pointer }) => pointer === schema.identity);
      const title = own && titleOf(own);
      const isUnique = title !== undefined && titles.get(typeName(title))?.length === 1;
      const written = isUnique ? title : (componentName(schema) ?? pointerName(schema.identity));
      const name = freeName(`${typeName(written)}${suffix}`, taken);
      taken.add(name);
      return name;
    },
    title: (node) => {
      const title = titleOf(node);
      return title === undefined ? undefined : typeName(title);
    },
  };
}

function titleOf(node: DocumentNode): string | undefined {
  const title = text(member(node, 'title'))?.trim();
  return title === '' ? undefined : title;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? name : `${name}${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** The names in a pointer to a schema: `/components/schemas/Order/properties/state` says `Order_state`. */
function pointerName(pointer: string): string {
  const names = pointer.split('/').filter((name) => name !== '' && !isKeyword(name));
  const isComponent = pointer.startsWith('/components/schemas/');
  return (isComponent ? names : names.slice(-2)).join('_') || 'Document';
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
