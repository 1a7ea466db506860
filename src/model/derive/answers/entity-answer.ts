import { isObjectSchema, type Schema, schemaProperties } from '../../../openapi/schemas/schema.ts';
import { singularOf, styleless } from '../../names.ts';
import type { AnswerPath } from '../../paging.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import { answerSchema, isAboutAnswer } from './list-answer.ts';

/** An entity that an operation answers with, and where in the answer it stands. */
export interface EntityAnswer {
  readonly schema: Schema;
  /** Undefined where the answer is the entity itself. */
  readonly wrappedIn: AnswerPath | undefined;
}

function isSame(answered: Schema, { identity, variantOf = identity }: Schema): boolean {
  return answered.identity === variantOf;
}

/** Whether an operation answers with one entity of a schema, and where; undefined where it does not. */
export function entityAnswer(
  derivation: Derivation,
  operation: DocumentOperation,
  schema: Schema,
): EntityAnswer | undefined {
  const answers = answeredEntities(derivation, operation);
  return (
    answers.find((answer) => isSame(answer.schema, schema)) ??
    answers.find((answer) => isPartOf(answer.schema, schema))
  );
}

/** The entity that an operation answers with, which a list answers with too, or with a part of it. */
export function listedEntityAnswer(
  derivation: Derivation,
  operation: DocumentOperation,
  item: Schema,
): EntityAnswer | undefined {
  const answers = answeredEntities(derivation, operation);
  return (
    answers.find((answer) => answer.schema.identity === item.identity) ??
    answers.find((answer) => isPartOf(item, answer.schema))
  );
}

/** What an operation may be said to answer with: the answer itself, or what it is wrapped in. */
function answeredEntities(derivation: Derivation, operation: DocumentOperation): readonly EntityAnswer[] {
  const answer = answerSchema(derivation, operation);
  if (answer === undefined) return [];
  const wrapped = isObjectSchema(answer) ? wrappedEntities(derivation, operation, answer) : [];
  return [...bareEntities(derivation, answer), ...wrapped];
}

/** The answer itself; where it is one thing or another, such as what there is and what is gone, any of these. */
function bareEntities({ read, inheritance }: Derivation, answer: Schema): readonly EntityAnswer[] {
  const branches = inheritance.isUnion(answer)
    ? []
    : answer.alternatives.flatMap((branch) => read(branch) ?? []);
  return [answer, ...branches].map((schema) => ({ schema, wrappedIn: undefined }));
}

/** Names of properties that hold what an answer is about. */
const HOLDERS: ReadonlySet<string> = new Set([
  'data',
  'result',
  'item',
  'value',
  'response',
  'entity',
  'record',
]);

function wrappedEntities(
  { read, inheritance }: Derivation,
  { segments }: DocumentOperation,
  answer: Schema,
): readonly EntityAnswer[] {
  const properties = [...schemaProperties(answer)];
  const objects = properties.flatMap(([name, node]) => {
    const schema = read(node);
    const isObject = schema !== undefined && (isObjectSchema(schema) || inheritance.isUnion(schema));
    return isObject ? [{ name, schema }] : [];
  });
  const last = segments.findLast(({ kind }) => kind === 'literal');
  const named = last?.kind === 'literal' ? styleless(singularOf(last.text)) : undefined;
  return objects.flatMap(({ name, schema }) => {
    const isNamed = HOLDERS.has(styleless(name)) || styleless(name) === named;
    const isAlone = properties.every(([other]) => other === name || isAboutAnswer(other));
    return isAlone || isNamed ? [{ schema, wrappedIn: [name] }] : [];
  });
}

/**
 * Whether one schema has a part of what another has of the same entities: at least half of its properties, and those
 * by which the entities are known.
 */
function isPartOf(part: Schema, whole: Schema): boolean {
  if (part.identity === whole.identity) return true;
  if (!isObjectSchema(part) || !isObjectSchema(whole)) return false;
  const names = [...schemaProperties(part).keys()];
  const known = schemaProperties(whole);
  const shared = names.filter((name) => known.has(name));
  const identifiers = names.filter((name) => IDENTIFYING.test(styleless(name)));
  const isKnown = identifiers.some((name) => known.has(name)) || identifiers.length === 0;
  return shared.length > 0 && isKnown && shared.length * 2 >= names.length;
}

const IDENTIFYING = /^(?:id|uuid|guid|sid|gid|key|name|slug|code)$/;

/**
 * The only property of a request body that holds the entity: of the entity's own schema, or under the name
 * that the entity is answered in.
 */
export function bodyWrapping(
  { read }: Derivation,
  { requestBody }: DocumentOperation,
  schema: Schema,
  answered: AnswerPath | undefined,
): string | undefined {
  const body = requestBody && read(requestBody);
  if (body === undefined || isSame(body, schema) || !isObjectSchema(body)) return undefined;
  const [only, ...others] = schemaProperties(body);
  if (only === undefined || others.length > 0 || schemaProperties(schema).has(only[0])) return undefined;
  const held = read(only[1]);
  const isEntity = (held && isSame(held, schema)) || only[0] === answered?.at(-1);
  return held !== undefined && isEntity && isObjectSchema(held) ? only[0] : undefined;
}
