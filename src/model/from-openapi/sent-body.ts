import type { Derivation } from './derivation.ts';
import { member, members } from './document-node.ts';
import type { DocumentOperation } from './document-operation.ts';
import { resolve } from './document-source.ts';

const SENT =
  /^(?:application\/(?:[\w.+-]+\+)?json|application\/x-www-form-urlencoded|application\/\*|\*\/\*)\s*(?:;|$)/i;

/** The media types of a body that cannot be written, because none is JSON or a form. */
export function unsentMedia({ source }: Derivation, { node }: DocumentOperation): string | undefined {
  const body = resolve(source, member(node, 'requestBody'));
  const media = members(member(body, 'content')).map(([name]) => name);
  return media.length === 0 || media.some((name) => SENT.test(name)) ? undefined : media.join(', ');
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
