import type { AnswerPath } from '../../operation.ts';
import type { Derivation } from '../derivation.ts';
import type { DocumentOperation } from '../document/document-operation.ts';
import { styleless } from '../names.ts';
import { isObjectSchema, type Schema, schemaProperties } from '../schemas/schema.ts';
import { answerSchema, isAboutPages } from './list-answer.ts';

/** Where an entity stands in what an operation answers with, or takes. */
interface Wrapping {
  /** Where the entity stands in it; undefined where it stands for itself. */
  readonly wrappedIn: AnswerPath | undefined;
}

/** Whether an operation answers with one entity of a schema, and wrapped in what; undefined where it does not. */
export function entityAnswer(
  derivation: Derivation,
  operation: DocumentOperation,
  { identity }: Schema,
): Wrapping | undefined {
  const answer = answerSchema(derivation, operation);
  if (answer === undefined) return undefined;
  if (answer.identity === identity) return { wrappedIn: undefined };
  const properties = isObjectSchema(answer) ? [...schemaProperties(answer)] : [];
  const [holder, ...others] = properties.filter(([, node]) => derivation.read(node)?.identity === identity);
  if (holder === undefined || others.length > 0) return undefined;
  const [held] = holder;
  const isAlone = properties.every(([name]) => name === held || isAboutAnswer(name));
  return isAlone ? { wrappedIn: [held] } : undefined;
}

const ABOUT_ANSWERS = /status|code|message|success|error|warning|request|time|version|^ok$|^object$|^type$/;

function isAboutAnswer(name: string): boolean {
  return isAboutPages(name) || ABOUT_ANSWERS.test(styleless(name));
}

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
  if (body === undefined || body.identity === schema.identity || !isObjectSchema(body)) return undefined;
  const [only, ...others] = schemaProperties(body);
  if (only === undefined || others.length > 0 || schemaProperties(schema).has(only[0])) return undefined;
  const held = read(only[1]);
  const isEntity = held?.identity === schema.identity || only[0] === answered?.at(-1);
  return held !== undefined && isEntity && isObjectSchema(held) ? only[0] : undefined;
}
