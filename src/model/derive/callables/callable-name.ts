import { type DocumentNode, member, text } from '../../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../../openapi/document/document-source.ts';
import { isModelName, pascalCase } from '../../names.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import type { BoundOperation } from './callable-binding.ts';

const VERBS: Readonly<Record<DocumentOperation['method'], string>> = {
  get: 'Get',
  post: '',
  put: 'Set',
  patch: 'Update',
  delete: 'Delete',
};

/**
 * Names for a function or action, the best first: the one that `x-odata` gives; for a bound one the end
 * of its path with a verb, then all of its path, then its parameters too; else the operation's id.
 */
export function callableNames(
  source: DocumentSource,
  operation: DocumentOperation,
  settings: DocumentNode | undefined,
  bound: BoundOperation | undefined,
): readonly string[] {
  const said = member(settings, 'function') ?? member(settings, 'action');
  const given = text(said);
  if (given !== undefined && isModelName(given)) return [given];
  if (said !== undefined) source.report('error', said.pointer, `${quote(said.value)} is not a name`);
  const below = bound?.below ?? [];
  const nouns = below.flatMap((segment) => (segment.kind === 'literal' ? [segment.text] : []));
  const by = below.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
  const whole = nouns.length === 0 ? [] : [nouns.join(' ')];
  const withParameters = whole.length === 0 || by.length === 0 ? [] : [[...nouns, 'by', ...by].join(' ')];
  const written = [...nouns.slice(-1), ...whole, ...withParameters];
  const names = written.flatMap((noun) => withVerb(operation, pascalCase(noun)) ?? []);
  return [...new Set([...names, pascalCase(operation.operationId ?? operation.id) ?? operation.id])];
}

function withVerb({ method, siblings }: DocumentOperation, noun: string | undefined): string | undefined {
  const verb = method === 'post' && siblings.includes('get') ? 'Create' : VERBS[method];
  return noun === undefined || noun.startsWith(verb) ? noun : `${verb}${noun}`;
}
