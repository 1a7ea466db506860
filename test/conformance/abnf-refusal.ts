import { GatewayError } from '../../src/contract/gateway-error.ts';
import type { UrlLimits } from '../../src/odata/url/lexer.ts';
import { parseRequestTarget } from '../../src/odata/url/request-target.ts';
import { isField, refusalOfField } from './abnf-fields.ts';
import { findWrongName } from './abnf-names.ts';
import type { Constraints } from './abnf-roles.ts';
import { entriesOf, type RuleEntry } from './abnf-rules.ts';

/** The cases are about grammar alone. */
const LIMITS: UrlLimits = {
  length: 10_000,
  nodes: 1000,
  literals: 1000,
  depth: 100,
  expandDepth: 10,
  lambdaDepth: 10,
  orderByItems: 100,
};

interface Refusal {
  readonly message: string;
  /** In the case's raw text; undefined where the parser took it and the names are wrong. */
  readonly position: number | undefined;
}

/** The mistake in the text, found by the parser or by the names, if any. */
export function refusalOf(rule: string, input: string, constraints: Constraints): Refusal | undefined {
  if (isField(rule, input)) return refused(refusalOfField(rule, input));
  const uri = URIS[rule]?.(input);
  if (uri !== undefined) return refusalOfUri(uri, constraints);
  const refusals = entriesOf(rule).map((entry) => refusalOfEntry(entry, input, constraints));
  return refusals.includes(undefined) ? undefined : refusals[0];
}

/** Parts of a URI, and URIs to read them in. */
const URIS: Readonly<Record<string, (input: string) => string>> = {
  odataUri: (input) => input,
  serviceRoot: (input) => (input.endsWith('/') ? input : ''),
  host: (input) => `http://${input}/`,
  port: (input) => `http://host:${input}/`,
  'IP-literal': (input) => `http://${input}/`,
  IPv4address: (input) => `http://${input}/`,
  IPv6address: (input) => `http://[${input}]/`,
};

function refused(message: string | undefined): Refusal | undefined {
  return message === undefined ? undefined : { message, position: undefined };
}

function refusalOfEntry(entry: RuleEntry, input: string, constraints: Constraints): Refusal | undefined {
  if (entry.narrow && /^(\s|%20)|(\s|%20)$/.test(input)) return refused('space around it');
  const refusal = refusalOfTarget(entry, entry.encode ? encodeURIComponent(input) : input, constraints);
  return refusal && entry.narrow ? { ...refusal, position: undefined } : refusal;
}

function refusalOfTarget(entry: RuleEntry, input: string, constraints: Constraints): Refusal | undefined {
  const target = entry.before + input + (entry.after ?? '');
  try {
    const parsed = parseRequestTarget(target, LIMITS);
    if (entry.check?.(parsed) === false) return refused('it is something else');
    const wrong = findWrongName(withoutWrapper(entry, parsed), constraints);
    return refused(wrong && `wrong name ${wrong}`);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { message: error.message, position: rawPosition(target, error.message, entry.before.length) };
  }
}

/** Names that the wrapper brought along are no names of the case. */
function withoutWrapper(entry: RuleEntry, parsed: ReturnType<typeof parseRequestTarget>) {
  return entry.before === '/' ? parsed : { ...parsed, path: { kind: 'serviceRoot' } as const };
}

/** serviceRoot odataRelativeUri: only the server knows where the service's root ends, so any slash may be it. */
function refusalOfUri(uri: string, constraints: Constraints): Refusal | undefined {
  const root = /^https?:\/\/[^/?#]+\//i.exec(uri)?.[0];
  if (root === undefined || !URL.canParse(root)) return refused('no service root');
  const end = uri.indexOf('?') < 0 ? uri.length : uri.indexOf('?');
  const starts = [...uri.matchAll(/\//g)]
    .map(({ index }) => index + 1)
    .filter((at) => at >= root.length && at <= end);
  const refusals = starts.map((start) => {
    const refusal = refusalOfTarget({ before: '/' }, uri.slice(start), constraints);
    return refusal?.position === undefined ? refusal : { ...refusal, position: refusal.position + start };
  });
  return refusals.includes(undefined) ? undefined : refusals[0];
}

/** The position of a message, which counts in decoded text, in the case's raw text. */
function rawPosition(target: string, message: string, before: number): number | undefined {
  const [, subject = '', digits] = /^(.+?): expected .* at position (\d+)/s.exec(message) ?? [];
  if (digits === undefined) return undefined;
  const start = startOf(target, subject);
  let raw = start;
  for (let decoded = 0; decoded < Number(digits) && raw < target.length; decoded += 1) {
    raw += /^%[\da-f]{2}/i.test(target.slice(raw, raw + 3)) ? 3 : 1;
  }
  return raw - before;
}

function startOf(target: string, subject: string): number {
  if (subject === 'request target') return 0;
  if (subject === 'resource path') return 1;
  const name = subject.replace(/^\$/, '');
  const found = new RegExp(`[?&]\\$?${name}=`, 'i').exec(target);
  return found === null ? 0 : found.index + found[0].length;
}
