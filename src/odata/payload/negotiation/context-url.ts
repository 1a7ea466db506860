import type { ODataVersion } from './format.ts';

/**
 * What data is, as its context URL says (Part 1, 10).
 *
 * A `path` is relative to the service root and percent-encoded: an entity set (`Order`), the place of
 * contained entities (`Order('1')/Items`), a singleton (`Me`), an entity or a property of one. A `cast`
 * is the qualified name of a derived type that all of the data is of.
 */
export type ContextFragment =
  /** Entities of a set or a contained collection (10.2, 10.5, 10.7, 10.9), and one of them (10.3, 10.6, 10.8, 10.10). */
  | (Structured & { readonly kind: 'entities' | 'entity'; readonly path: string })
  /** 10.4 */
  | (Structured & { readonly kind: 'singleton'; readonly path: string })
  /** A property of an entity (10.13), or a part of a complex one. */
  | (Structured & { readonly kind: 'property'; readonly path: string })
  /** A value, or a collection of them, that is in no entity set (10.14 to 10.16): the qualified name of its type. */
  | {
      readonly kind: 'value';
      readonly type: string;
      readonly collection: boolean;
      readonly projection?: ContextProjection | undefined;
    }
  /** 10.11, 10.12 */
  | { readonly kind: 'references' | 'reference' }
  /** 10.17 */
  | (Structured & { readonly kind: 'delta'; readonly path: string })
  /** 10.18: in the delta payloads of 4.0. */
  | { readonly kind: 'deletedEntity'; readonly path: string };

interface Structured {
  readonly cast?: string | undefined;
  readonly projection?: ContextProjection | undefined;
}

/** What `$select` and `$expand` leave of entities, in the order of the URL. */
export interface ContextProjection {
  /** The items of `$select`, `*` among them; undefined without it, which shows all properties. */
  readonly select: readonly string[] | undefined;
  readonly expand: readonly ContextExpansion[];
}

interface ContextExpansion {
  /** The navigation property, after type casts and complex properties: `Address/Country`. */
  readonly path: string;
  /** `$levels` repeats the expansion (10.9). */
  readonly recursive?: boolean;
  /** Undefined where all of the related entities is shown. */
  readonly projection?: ContextProjection | undefined;
}

/** The context URL of data below a service root. Its fragment is not percent-encoded (JSON Format, 4.5.1). */
export function contextUrl(serviceRoot: string, fragment: ContextFragment, version: ODataVersion): string {
  return `${serviceRoot}/$metadata#${fragmentText(fragment, version)}`;
}

function fragmentText(fragment: ContextFragment, version: ODataVersion): string {
  switch (fragment.kind) {
    case 'references':
      return 'Collection($ref)';
    case 'reference':
      return '$ref';
    case 'value': {
      const name = version === '4.0' && fragment.type === 'Edm.Untyped' ? 'Edm.String' : fragment.type;
      const type = fragment.collection ? `Collection(${name})` : name;
      return type + projectionText(fragment.projection, version);
    }
    case 'entities':
    case 'singleton':
    case 'property':
      return structuredText(fragment, version);
    case 'entity':
      return `${structuredText(fragment, version)}/$entity`;
    case 'deletedEntity':
      return `${decodeURIComponent(fragment.path)}/$deletedEntity`;
    case 'delta':
      return `${structuredText(fragment, version)}/$delta`;
  }
}

function structuredText(
  { path, cast, projection }: Structured & { readonly path: string },
  version: ODataVersion,
): string {
  const type = cast === undefined ? '' : `/${cast}`;
  return decodeURIComponent(path) + type + projectionText(projection, version);
}

function projectionText(projection: ContextProjection | undefined, version: ODataVersion): string {
  const items = projection === undefined ? [] : projectionItems(projection, version);
  return items.length === 0 ? '' : `(${items.join(',')})`;
}

function projectionItems({ select, expand }: ContextProjection, version: ODataVersion): readonly string[] {
  const expanded = expand.map((expansion) => expansionText(expansion, version));
  return [...(select ?? []), ...expanded.filter((item) => item !== undefined)];
}

/** 4.0 does not mention an expansion without nested `$select` and `$expand`; 4.01 does, with empty parentheses. */
function expansionText(
  { path, recursive, projection }: ContextExpansion,
  version: ODataVersion,
): string | undefined {
  const items = projection === undefined ? [] : projectionItems(projection, version);
  if (items.length === 0 && recursive !== true && version === '4.0') return undefined;
  return `${path}${recursive === true ? '+' : ''}(${items.join(',')})`;
}
