import { readFile } from 'node:fs/promises';
import type { ServiceChange, ServiceShape, ShapedResource, ShapedType } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { breakingMessages, compareServices } from '../contract/service-changes.ts';
import { isObject, type JsonObject } from '../core/json-object.ts';
import type { Permission } from '../model/permission.ts';
import { deriveFromFiles } from './derive-model.ts';
import { count, writeLines } from './text-table.ts';

/** The metadata that an earlier model is compared by: a saved CSDL JSON document, or that of an OpenAPI file. */
export async function earlierMetadata(
  file: string,
  write: (model: Awaited<ReturnType<typeof deriveFromFiles>>['model']) => string,
): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new GatewayError('NotFound', `${file} cannot be read.`, { cause: error });
  });
  if (/^\s*\{/.test(text) && text.includes('"$EntityContainer"')) {
    try {
      JSON.parse(text);
      return text;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new GatewayError('BadRequest', `${file}: expected CSDL JSON, found no JSON: ${reason}`, {
        cause: error,
      });
    }
  }
  if (/^\s*</.test(text)) {
    const message = `${file}: expected CSDL JSON or an OpenAPI document, found XML. Save it with --metadata json.`;
    throw new GatewayError('BadRequest', message);
  }
  const { model, unserved } = await deriveFromFiles([file]);
  const [finding] = unserved;
  if (finding !== undefined) throw new GatewayError('BadRequest', finding.message);
  return write(model);
}

/** Lists what clients of one CSDL JSON document notice when another one takes its place. */
export function compareMetadata(earlier: string, later: string): readonly ServiceChange[] {
  const changes = compareServices(shapeOf(JSON.parse(earlier)), shapeOf(JSON.parse(later)));
  return changes.toSorted((a, b) => Number(b.kind === 'breaking') - Number(a.kind === 'breaking'));
}

/** The changes for people: first what clients lose. */
export function writeChanges(changes: readonly ServiceChange[]): string {
  const lost = breakingMessages(changes);
  const others = changes.filter(({ kind }) => kind !== 'breaking').map(({ message }) => message);
  if (changes.length === 0) return 'Clients notice nothing.\n';
  return writeLines([
    ...(lost.length === 0
      ? []
      : [`${count(lost.length, 'change')} that clients must follow`, ...bullets(lost)]),
    ...(others.length === 0 ? [] : [`${count(others.length, 'addition')}`, ...bullets(others)]),
  ]);
}

function bullets(messages: readonly string[]): readonly string[] {
  return messages.map((message) => `  - ${message}`);
}

/** The parts of a CSDL JSON 4.01 document that clients can rely on. */
function shapeOf(document: unknown): ServiceShape {
  const schemas = membersOf(document).flatMap(([, schema]) => membersOf(schema));
  const containers = schemas.filter(([, { $Kind: kind }]) => kind === 'EntityContainer');
  const types = schemas.filter(([, { $Kind: kind }]) => TYPES.has(String(kind)));
  const callables = schemas.flatMap(([name, overloads]) =>
    Array.isArray(overloads) ? overloads.filter(isObject).map((overload) => ({ name, overload })) : [],
  );
  return {
    resources: containers.flatMap(([, container]) => membersOf(container).map(resourceShape)),
    types: [
      ...types.map(([name, type]) => typeShape(name, type, callables)),
      ...callables.filter(({ overload }) => overload.$IsBound !== true).map(unboundShape),
    ],
  };
}

const TYPES: ReadonlySet<string> = new Set(['EntityType', 'ComplexType', 'EnumType', 'TypeDefinition']);

/** The members that are no keyword and no annotation. */
function membersOf(value: unknown): readonly (readonly [string, JsonObject])[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const isMember = !/[$@]/.test(name) && typeof member === 'object' && member !== null;
    return isMember ? [[name, member as JsonObject] as const] : [];
  });
}

const RESTRICTIONS: readonly (readonly [Permission, string, string])[] = [
  ['View', 'ReadRestrictions', 'Readable'],
  ['Insert', 'InsertRestrictions', 'Insertable'],
  ['Update', 'UpdateRestrictions', 'Updatable'],
  ['Delete', 'DeleteRestrictions', 'Deletable'],
];

function resourceShape([name, member]: readonly [string, JsonObject]): ShapedResource {
  const callable = member.$Function ?? member.$Action;
  const rights = RESTRICTIONS.flatMap(([right, term, property]) => {
    const restriction = member[`@Capabilities.${term}`];
    return isObject(restriction) && restriction[property] === false ? [] : right;
  });
  return {
    name,
    rights: callable === undefined ? rights : ['Call'],
    grants: {},
    type: shortName(callable ?? member.$Type),
  };
}

interface NamedOverload {
  readonly name: string;
  readonly overload: JsonObject;
}

function typeShape(name: string, type: JsonObject, callables: readonly NamedOverload[]): ShapedType {
  const bound = callables.filter(({ overload }) => {
    const [binding] = parametersOf(overload);
    return overload.$IsBound === true && shortName(binding?.$Type) === name;
  });
  const values = type.$Kind === 'EnumType' ? Object.entries(type).filter(([each]) => !/[$@]/.test(each)) : [];
  const properties = [
    ...membersOf(type).map(([property, use]) => [property, useText(use)]),
    ...values.map(([member, value]) => [member, String(value)]),
    ...bound.map((callable) => [signature(callable), useText(callable.overload.$ReturnType)]),
  ];
  const key = Array.isArray(type.$Key)
    ? type.$Key.map((part) => (isObject(part) ? Object.values(part)[0] : part))
    : [];
  return { name, key: key.map(String), properties: Object.fromEntries(properties) };
}

function unboundShape({ name, overload }: NamedOverload): ShapedType {
  const text = useText(overload.$ReturnType);
  return { name, key: [], properties: { [signature({ name: '', overload })]: text } };
}

function parametersOf({ $Parameter: parameters }: JsonObject): readonly JsonObject[] {
  return Array.isArray(parameters) ? parameters.filter(isObject) : [];
}

function signature({ name, overload }: NamedOverload): string {
  const own = parametersOf(overload).slice(overload.$IsBound === true ? 1 : 0);
  return `${name}(${own.map((each) => `${each.$Name}: ${useText(each)}`).join(', ')})`;
}

/** A type as clients know it: `Collection(Order)`, `String, may be null`. */
function useText(use: unknown): string {
  if (!isObject(use)) return 'nothing';
  const type = shortName(use.$Type ?? 'Edm.String') ?? '';
  const whole = use.$Collection === true ? `Collection(${type})` : type;
  return use.$Nullable === true ? `${whole} or null` : whole;
}

function shortName(name: unknown): string | undefined {
  return typeof name === 'string' ? name.slice(name.lastIndexOf('.') + 1) : undefined;
}
