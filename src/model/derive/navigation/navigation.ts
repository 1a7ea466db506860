import { member, text } from '../../../openapi/document/document-node.ts';
import type { DescribedNavigationProperty } from '../../description.ts';
import { freeChoice } from '../../names.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { calling, listing } from '../sets/model-operation.ts';
import type { LinkNavigation } from './link-navigation.ts';
import type { PathNavigation } from './path-navigation.ts';

/** Navigation properties by the identity of the schema whose type has them. */
export type NavigationByOwner = ReadonlyMap<string, readonly NamedNavigation[]>;

/** A navigation property, and its names where another property has the first of them. */
export interface NamedNavigation {
  readonly property: DescribedNavigationProperty;
  readonly names: NameChoice;
}

/** Makes navigation properties of what paths and links say; one that several places have is one property. */
export function navigationProperties(
  derivation: Derivation,
  paths: readonly PathNavigation[],
  links: readonly LinkNavigation[],
  setOf: ReadonlyMap<string, string>,
): NavigationByOwner {
  const owners = new Set([...paths, ...links].map(({ owner }) => owner));
  return new Map(
    [...owners].map((owner) => {
      const properties = new Map<string, NamedNavigation>();
      for (const path of paths.filter((each) => each.owner === owner)) addPath(properties, path, setOf);
      for (const link of links.filter((each) => each.owner === owner)) addLink(derivation, properties, link);
      return [owner, [...properties.values()]] as const;
    }),
  );
}

function addPath(
  properties: Map<string, NamedNavigation>,
  { names, related, collection, containsTarget, place, at }: PathNavigation,
  setOf: ReadonlyMap<string, string>,
): void {
  const known = properties.get(names[0])?.property;
  const isSame = known?.entityType === related.name && known.collection === collection;
  if (known?.origin.kind === 'path' && isSame) {
    const origin = { kind: 'path', places: [...known.origin.places, place] } as const;
    properties.set(known.name, { property: { ...known, origin }, names });
    return;
  }
  const name = freeChoice(names, properties);
  const property: DescribedNavigationProperty = {
    ...EMPTY,
    name,
    description: text(member(at.node, 'summary')),
    entityType: related.name,
    collection,
    nullable: !collection,
    containsTarget,
    target: containsTarget ? undefined : setOf.get(related.schema.identity),
    origin: { kind: 'path', places: [place] },
  };
  properties.set(name, { property, names: [name, names.at(-1) ?? name] });
}

function addLink(
  derivation: Derivation,
  properties: Map<string, NamedNavigation>,
  { names, link, description, target, collection, operation, list, parameters, constraints }: LinkNavigation,
): void {
  const name = freeChoice(names, properties);
  const property: DescribedNavigationProperty = {
    ...EMPTY,
    name,
    description,
    entityType: target.entity.name,
    collection,
    nullable: !collection,
    target: target.set,
    constraints,
    origin: {
      kind: 'link',
      name: link,
      operation:
        list === undefined
          ? calling(derivation, operation, parameters)
          : listing(derivation, list, parameters, target.entity),
    },
  };
  properties.set(name, { property, names: [name, names.at(-1) ?? name] });
}

const EMPTY: Pick<
  DescribedNavigationProperty,
  'containsTarget' | 'partner' | 'constraints' | 'addReference' | 'removeReference'
> = {
  containsTarget: false,
  partner: undefined,
  constraints: [],
  addReference: undefined,
  removeReference: undefined,
};
