import { meshName } from '../../model/derive/names/mesh-name.ts';
import type { UnnamedOperation } from '../../model/derive/operations/document-operation.ts';

/** A path parameter (OpenAPI 3.1, 4.8.8.2), or a brace that belongs to none. */
const PARAMETER_OR_BRACE = /\{([^{}]+)\}|[{}]/g;

/**
 * The path of an operation as Mesh fills it in: `{args.name}` wherever a parameter stands, and no other braces.
 * Those are percent-encoded, as a path must have them (RFC 3986, 3.3).
 */
export function pathTemplate({ path }: Pick<UnnamedOperation, 'path'>): string {
  return path.replace(PARAMETER_OR_BRACE, (brace, name?: string) =>
    name === undefined ? encodeURIComponent(brace) : `{args.${meshName(name)}}`,
  );
}
