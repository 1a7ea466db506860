import type { NavigationProperty } from '../../structured-type.ts';
import type { Derivation } from '../derivation.ts';
import { member, text } from '../document/document-node.ts';
import { calling, listing } from '../model-operation.ts';
import { freeName } from '../names.ts';
import type { LinkNavigation } from './link-navigation.ts';
import type { PathNavigation } from './path-navigation.ts';

/** Navigation properties by the identity of the schema whose type has them. */
export type NavigationByOwner = ReadonlyMap<string, readonly NavigationProperty[]>;

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
      const properties = new Map<string, NavigationProperty>();
      for (const path of paths.filter((each) => each.owner === owner)) addPath(properties, path, setOf);
      for (const link of links.filter((each) => each.owner === owner)) addLink(derivation, properties, link);
      return [owner, [...properties.values()]] as const;
    }),
  );
}

function addPath(
  properties: Map<string, NavigationProperty>,
  { name, related, collection, containsTarget, place, at }: PathNavigation,
  setOf: ReadonlyMap<string, string>,
): void {
  const known = properties.get(name);
  const isSame = known?.entityType === related.name && known.collection === collection;
  if (known?.origin.kind === 'path' && isSame) {
    properties.set(name, { ...known, origin: { kind: 'path', places: [...known.origin.places, place] } });
    return;
  }
  const free = freeName(name, properties);
  properties.set(free, {
    ...EMPTY,
    name: free,
    description: text(member(at.node, 'summary')),
    entityType: related.name,
    collection,
    nullable: !collection,
    containsTarget,
    target: containsTarget ? undefined : setOf.get(related.schema.identity),
    origin: { kind: 'path', places: [place] },
  });
}

function addLink(
  derivation: Derivation,
  properties: Map<string, NavigationProperty>,
  { name, link, description, target, collection, operation, list, parameters, constraints }: LinkNavigation,
): void {
  const free = freeName(name, properties);
  properties.set(free, {
    ...EMPTY,
    name: free,
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
          : listing(derivation, list, parameters),
    },
  });
}

const EMPTY: Pick<
  NavigationProperty,
  'containsTarget' | 'partner' | 'constraints' | 'addReference' | 'removeReference'
> = {
  containsTarget: false,
  partner: undefined,
  constraints: [],
  addReference: undefined,
  removeReference: undefined,
};
