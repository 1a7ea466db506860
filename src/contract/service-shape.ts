import type { GrantableResource } from './access-report.ts';

/** What clients of an API's part of the service can rely on. */
export interface ServiceShape {
  readonly resources: readonly ShapedResource[];
  readonly types: readonly ShapedType[];
}

export interface ShapedResource extends Pick<GrantableResource, 'name' | 'rights' | 'grants'> {
  /** The name of its entity type; undefined for a function or an action. */
  readonly type: string | undefined;
}

/** An entity type or a complex type. */
export interface ShapedType {
  readonly name: string;
  readonly key: readonly string[];
  /** Each property's name, to its type in words such as `Collection(String)`. */
  readonly properties: Readonly<Record<string, string>>;
}

export const NO_SHAPE: ServiceShape = { resources: [], types: [] };
