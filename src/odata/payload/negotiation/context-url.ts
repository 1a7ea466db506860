import type { ODataVersion } from './format.ts';

/**
 * The kind of data in a context URL (Part 1, 10).
 *
 * A `path` is relative to the service root and percent-encoded: an entity set (`Order`), contained entities
 * (`Order('1')/Items`), a singleton (`Me`), an entity or one of its properties. A `cast` is the qualified
 * name of a derived type.
 */
export type ContextFragment =
  /**
   * Entities of a set or a contained collection (10.2, 10.5, 10.7, 10.9), or one of them (10.3, 10.6, 10.8,
   * 10.10).
   */
  | (Structured & { readonly kind: 'entities' | 'entity'; readonly path: string })
  /** 10.4 */
  | (Structured & { readonly kind: 'singleton'; readonly path: string })
  /** A property of an entity (10.13), or a part of a complex one. */
  | (Structured & { readonly kind: 'property'; readonly path: string })
  /** A value or collection outside of entity sets (10.14 to 10.16), by the qualified name of its type. */
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
  /** 10.18: in delta payloads of 4.0. */
  | { readonly kind: 'deletedEntity'; readonly path: string };

interface Structured {
  readonly cast?: string | undefined;
  readonly projection?: ContextProjection | undefined;
}

/** The effect of `$select` and `$expand`, in the order of the URL. */
export interface ContextProjection {
  /** The items of `$select`, including `*`; undefined without `$select`. */
  readonly select: readonly string[] | undefined;
  readonly expand: readonly ContextExpansion[];
}

interface ContextExpansion {
  /** The navigation property, after type casts and complex properties: `Address/Country`. */
  readonly path: string;
  /** True for `$levels` (10.9). */
  readonly recursive?: boolean;
  /** Undefined if related entities are shown completely. */
  readonly projection?: ContextProjection | undefined;
}

/** The context URL for data of a service. Its fragment is not percent-encoded (JSON Format, 4.5.1). */
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

/** 4.0 omits an expansion without nested `$select` and `$expand`; 4.01 writes empty parentheses. */
function expansionText(
  { path, recursive, projection }: ContextExpansion,
  version: ODataVersion,
): string | undefined {
  const items = projection === undefined ? [] : projectionItems(projection, version);
  if (items.length === 0 && recursive !== true && version === '4.0') return undefined;
  return `${path}${recursive === true ? '+' : ''}(${items.join(',')})`;
}
