import { isHolder } from '../../model/answer-words.ts';
import { foldedName } from '../../model/names.ts';
import { isObjectSchema, type Schema, schemaProperties } from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, DocumentParameter } from '../operations/document-operation.ts';
import { answerSchema } from './list-answer.ts';

/** Names of parameters that are secrets of the caller's. */
const SECRET = /^(?:user)?(?:password|passwd|passcode|otp|clientsecret|refreshtoken)$/;

/**
 * Whether a GET performs a log-in or a token refresh: it takes a secret in its URL, or each call issues a new
 * credential. Clients and proxies would store such URLs and responses.
 */
export function isAboutCredentials(derivation: Derivation, operation: DocumentOperation): boolean {
  if (operation.method !== 'get') return false;
  const isSecret = ({ name, in: place, required }: DocumentParameter) =>
    required && place !== 'header' && SECRET.test(foldedName(name));
  if (operation.parameters.some(isSecret)) return true;
  const answer = answerSchema(derivation, operation);
  if (answer === undefined || !isObjectSchema(answer)) return false;
  const held = [...schemaProperties(answer)].flatMap(([name, node]) =>
    isHolder(name) ? (derivation.read(node) ?? []) : [],
  );
  return [answer, ...held].some((schema) => isObjectSchema(schema) && isTokenAnswer(schema));
}

/**
 * Whether the object is a token response (RFC 6749, 5.1), such as that of `/auth/refresh`: each read issues a
 * new token. An object with an identifier is an entity that has a token.
 */
export function isTokenAnswer(schema: Schema): boolean {
  const names = new Set([...schemaProperties(schema).keys()].map(foldedName));
  if (names.has('id') || names.has('uuid')) return false;
  const isDescribed = names.has('tokentype') || names.has('expiresin') || names.has('refreshtoken');
  return (
    ['accesstoken', 'refreshtoken', 'idtoken'].some((name) => names.has(name)) ||
    (names.has('token') && isDescribed)
  );
}
