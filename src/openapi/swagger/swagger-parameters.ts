import { isMapping, type OpenApiDocument, own } from '../parse/openapi-version.ts';

/** The operations of a Path Item Object (Swagger 2.0). */
export const SWAGGER_METHODS: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
]);

/** A parameter that makes up the body, or a part of it, and its place in the list. */
interface BodyPlace {
  readonly index: number;
  readonly parameter: OpenApiDocument;
}

/** The parameters of a list that are sent in the body, their references followed. */
export function bodyPlaces(document: OpenApiDocument, list: readonly unknown[]): readonly BodyPlace[] {
  return list.flatMap((written, index) => {
    const parameter = referenced(document, written);
    const place = own(parameter, 'in');
    return isMapping(parameter) && (place === 'body' || place === 'formData') ? [{ index, parameter }] : [];
  });
}

function referenced(document: OpenApiDocument, parameter: unknown): unknown {
  const reference = own(parameter, '$ref');
  const name = typeof reference === 'string' ? /^#\/parameters\/([^/]+)$/.exec(reference)?.[1] : undefined;
  if (name === undefined) return parameter;
  return own(own(document, 'parameters'), name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
