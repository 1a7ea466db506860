import { foldedName } from '../../model/names.ts';
import { isObjectSchema, type Schema, schemaProperties } from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, DocumentParameter } from '../operations/document-operation.ts';
import { answerSchema, HOLDERS } from './list-answer.ts';

/** Names of parameters that are secrets of the caller's. */
const SECRET = /^(?:user)?(?:password|passwd|passcode|otp|clientsecret|refreshtoken)$/;

/**
 * Whether a GET is about who calls: a log-in or a refresh, which takes a secret in its address, or whose every call makes
 * another credential. Clients would keep what it answers with, and proxies what it is asked for by.
 */
export function isAboutCredentials(derivation: Derivation, operation: DocumentOperation): boolean {
  if (operation.method !== 'get') return false;
  const isSecret = ({ name, in: place, required }: DocumentParameter) =>
    required && place !== 'header' && SECRET.test(foldedName(name));
  if (operation.parameters.some(isSecret)) return true;
  const answer = answerSchema(derivation, operation);
  if (answer === undefined || !isObjectSchema(answer)) return false;
  const held = [...schemaProperties(answer)].flatMap(([name, node]) =>
    HOLDERS.test(name) ? (derivation.read(node) ?? []) : [],
  );
  return [answer, ...held].some((schema) => isObjectSchema(schema) && isTokenAnswer(schema));
}

/**
 * Whether an object is a credential that a call has made (RFC 6749, 5.1), such as that of `/auth/refresh`: each read makes
 * another one. What has an identifier is a thing that has a credential.
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
