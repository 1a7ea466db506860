import { isObject } from '../../core/json-object.ts';
/** The unvalidated root object of an OpenAPI document. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** The mistake of an object that is not a supported OpenAPI document. */
export function validateVersion(document: OpenApiDocument): string | undefined {
  const version = own(document, 'openapi');
  if (typeof version === 'string' && /^3\.\d/.test(version)) return undefined;
  const swagger = own(document, 'swagger');
  if (swagger === '2.0') return undefined;
  if (swagger !== undefined)
    return `Its \`swagger\` version must be the string "2.0", not ${JSON.stringify(swagger).slice(0, 80)}.`;
  if (version === undefined) return 'It is not an OpenAPI document: it has no `openapi` version.';
  if (typeof version === 'number') {
    return `Its \`openapi\` version must be a string in quotation marks, such as "3.1.0", not ${version}.`;
  }
  return `Its \`openapi\` version must be 3.1 (or 3.0), not ${JSON.stringify(version).slice(0, 80)}.`;
}

export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
