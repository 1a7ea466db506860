import type { Parameter } from './api-document.ts';
import { boundsOf, readPattern } from './generated-value.ts';
import { isObject, type JsonObject } from './json.ts';
import type { Viewer } from './schema-view.ts';

/** The mistake in a query, as a strict API reports it, if any. */
export function queryMistake(
  view: Viewer,
  parameters: readonly Parameter[],
  query: URLSearchParams,
): string | undefined {
  for (const parameter of parameters.filter((candidate) => candidate.in === 'query')) {
    const { name, required } = parameter;
    const sent = [...query.getAll(name), ...query.getAll(`${name}[]`)];
    const isDeep = [...query.keys()].some((key) => key.startsWith(`${name}[`));
    if (sent.length === 0 && required && !isDeep) return `The parameter ${name} is required.`;
    const wrong = sent.find((value) => !isAllowed(view, parameter.schema, value));
    if (wrong !== undefined) return `The parameter ${name} does not allow ${JSON.stringify(wrong)}.`;
  }
  return undefined;
}

/** Whether a parameter with that schema may have a value, as it is written in a URL. */
function isAllowed(view: Viewer, schema: JsonObject, text: string): boolean {
  const branches = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(branches))
    return branches.filter(isObject).some((branch) => isAllowed(view, branch, text));
  const { kind, items, words } = view(schema);
  if (kind === 'object') return true;
  if (kind === 'array')
    return items === undefined || text.split(',').every((item) => isAllowed(view, items, item));
  const { enum: choices, pattern } = words;
  if (Array.isArray(choices) && !choices.map(String).includes(text)) return false;
  if (kind === 'boolean') return text === 'true' || text === 'false';
  if (kind === 'integer' || kind === 'number') return isAllowedNumber(words, text, kind);
  if (words['format'] === 'uuid' && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return false;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = words;
  if (text.length < Number(minLength) || text.length > Number(maxLength)) return false;
  return typeof pattern !== 'string' || readPattern(pattern)?.test(text) !== false;
}

function isAllowedNumber(words: JsonObject, text: string, kind: 'integer' | 'number'): boolean {
  if (!(kind === 'integer' ? /^-?\d+$/ : /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i).test(text)) return false;
  const value = Number(text);
  const [least, most] = boundsOf(words, kind === 'integer' ? 1 : Number.EPSILON);
  return value >= least && value <= most;
}
