import { getDefDirectives } from '@graphql-mesh/utils';
import { type GraphQLSchema, isInputObjectType } from 'graphql';
import type { RootField } from '../fields/operation-field.ts';

/**
 * Throws where Mesh would put anything but an argument into a request.
 *
 * What stands in braces in a path, a header or an address, Mesh replaces by what it finds under that name: among
 * the arguments, but also in the environment of the process and in the context. The prepared document has no
 * braces but those of its arguments, so whatever else there is comes from a text of the document's author.
 */
export function refuseTemplates(schema: GraphQLSchema): void {
  for (const { args } of directivesOf(schema, schema)) refuseBraces('the address', textsIn(args));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!('getFields' in type) || isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) refuseField(schema, field);
  }
}

/** What Mesh takes for them. */
function directivesOf(schema: GraphQLSchema, { astNode = null, extensions }: GraphQLSchema | RootField) {
  return getDefDirectives(schema, { astNode, extensions });
}

/** Directives of fields that Mesh makes no text of. */
const WITHOUT_TEMPLATES: ReadonlySet<string> = new Set([
  'deprecated',
  'dictionary',
  'example',
  'flatten',
  'resolveRoot',
  'resolveRootField',
]);

function refuseField(schema: GraphQLSchema, field: RootField): void {
  for (const { name, args = {} } of directivesOf(schema, field)) {
    if (WITHOUT_TEMPLATES.has(name)) continue;
    if (name !== 'httpOperation') throw new Error(`${field.name} has the directive @${name}`);
    refuseOperation(field, args);
  }
}

/** Of the arguments of the directive, the names of parameters alone are no templates. */
function refuseOperation(
  { name, args }: RootField,
  { queryParamArgMap, queryStringOptionsByParam, ...others }: Readonly<Record<string, unknown>>,
): void {
  const known = new Set(args.map((argument) => argument.name));
  const texts = textsIn(others).map((text) =>
    text.replace(/\{args\.(\w+)\}/g, (whole, argument: string) => (known.has(argument) ? '' : whole)),
  );
  refuseBraces(name, texts);
}

function refuseBraces(place: string, texts: readonly string[]): void {
  const found = texts.find((text) => /[{}]/.test(text));
  if (found !== undefined) throw new Error(`${place} has braces that are no argument's: ${quoted(found)}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/** All that are in a value, however deep: names too. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)]);
}
