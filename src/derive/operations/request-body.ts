import type { MediaInsert, Precondition } from '../../model/operation.ts';
import { member, members } from '../../openapi/document/document-node.ts';
import { resolve } from '../../openapi/document/document-source.ts';
import { meshName } from '../names/mesh-name.ts';
import type { Derivation } from './derivation.ts';
import type { DocumentOperation } from './document-operation.ts';

const SENT =
  /^(?:application\/(?:[\w.+-]+\+)?json|application\/x-www-form-urlencoded|application\/\*|\*\/\*)\s*(?:;|$)/i;

/** The media types that a body may have; undefined where the document does not say. */
export function takenMedia(
  { source }: Derivation,
  { node }: DocumentOperation,
): readonly string[] | undefined {
  const body = resolve(source, member(node, 'requestBody'));
  const media = members(member(body, 'content')).map(([name]) => name);
  return media.length === 0 ? undefined : media;
}

/** How an entity is made of a stream: by a body that is neither JSON nor a form. */
export function mediaInsert(derivation: Derivation, operation: DocumentOperation): MediaInsert | undefined {
  const taken = takenMedia(derivation, operation) ?? [];
  const mediaTypes = taken.filter((name) => !SENT.test(name) && !/^multipart\//i.test(name));
  if (mediaTypes.length === 0) return undefined;
  return { mediaTypes, only: unsentMedia(derivation, operation) !== undefined };
}

/** The media types of a body that cannot be written, because none is JSON or a form. */
export function unsentMedia(derivation: Derivation, operation: DocumentOperation): string | undefined {
  const media = takenMedia(derivation, operation);
  return media === undefined || media.some((name) => SENT.test(name)) ? undefined : media.join(', ');
}

/** The first of the operations whose body can be written. */
export function firstSendable(
  derivation: Derivation,
  operations: readonly (DocumentOperation | undefined)[],
): DocumentOperation | undefined {
  return operations.find(
    (operation) => operation !== undefined && unsentMedia(derivation, operation) === undefined,
  );
}

/** What a change has for a parameter If-Match, or answers where it is missing (RFC 6585, 3); undefined for neither. */
export function preconditionOf({ method, parameters, node }: DocumentOperation): Precondition | undefined {
  if (method === 'get' || method === 'post') return undefined;
  const parameter = parameters.find(
    ({ name, in: place }) => place === 'header' && name.toLowerCase() === 'if-match',
  );
  const isDemanded = member(member(node, 'responses'), '428') !== undefined;
  if (parameter === undefined && !isDemanded) return undefined;
  return {
    parameter: parameter && meshName(parameter.name),
    required: isDemanded || parameter?.required === true,
  };
}
