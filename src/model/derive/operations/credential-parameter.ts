import { styleless } from '../../names.ts';
import type { DocumentParameter } from './document-parameter.ts';

/** Names of headers that say who calls. */
const HEADER =
  /(?:token|secret|password|credentials?|signature|authorization|authentication)$|(?:api|app|application|access|auth|secret|private|subscription|developer|dev|client|license)(?:key|id)$|^consumerkey$|^auth$/;

/** Names of headers that end so, and say something else. */
const OTHER_HEADER = /(?:page|next|continuation|sync|cursor|csrf|xsrf)token$/;

/** Names of query parameters that can mean nothing else: what is asked for may have a token, too. */
const QUERY =
  /^(?:api|app|access|auth|secret|subscription|consumer|client|oauth|bearer)(?:key|token|secret|password)$/;

/** Whether a parameter says who calls, by its name. */
export function isCredential({ name, in: place }: Pick<DocumentParameter, 'name' | 'in'>): boolean {
  const word = styleless(name);
  if (place === 'header') return HEADER.test(word) && !OTHER_HEADER.test(word);
  return place === 'query' && QUERY.test(word);
}
