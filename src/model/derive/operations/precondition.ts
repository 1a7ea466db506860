import { member } from '../../../openapi/document/document-node.ts';
import type { Precondition } from '../../operation.ts';
import { meshName } from '../names/mesh-name.ts';
import type { DocumentOperation } from './document-operation.ts';

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
