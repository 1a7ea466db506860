import type { IncomingHttpHeaders } from 'node:http';

/** One limit that an answer declares, with what is left of it. Times in milliseconds from the receipt of the answer. */
export interface DeclaredLimit {
  /** The name of a policy or of a resource, which no two limits of an API share. */
  readonly name: string;
  /** Whether the limit is for the operations of a resource, and not for all. */
  readonly isOfResource: boolean;
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  readonly resetMs: number | undefined;
  readonly windowMs: number | undefined;
}

type Fields = Readonly<Record<string, string>>;

/**
 * The limits that an answer declares, in all forms that APIs use: `RateLimit` and `RateLimit-Policy` as structured fields
 * (draft-ietf-httpapi-ratelimit-headers), the dictionary form of earlier drafts, and `RateLimit-*` and `X-RateLimit-*`.
 */
export function declaredLimits(headers: IncomingHttpHeaders, now = Date.now()): readonly DeclaredLimit[] {
  const fields = limitFields(headers);
  if (fields === undefined) return [];
  const structured = structuredLimits(fields);
  return structured.length > 0 ? structured : separateLimits(fields, referenceTime(headers, now));
}

/** Undefined without any such field, as in most answers. */
function limitFields(headers: IncomingHttpHeaders): Fields | undefined {
  let found: Record<string, string> | undefined;
  for (const name in headers) {
    if (!NAME.test(name)) continue;
    const value = headers[name];
    if (value === undefined) continue;
    found ??= {};
    found[name.replace('rate-limit', 'ratelimit')] = Array.isArray(value) ? value.join(', ') : value;
  }
  return found;
}

const NAME = /^(?:x-)?rate-?limit(?:-|$)/;

/** Clocks differ: points in time are compared with the answer's own, which is one in whole seconds, unless both agree. */
function referenceTime({ date }: IncomingHttpHeaders, now: number): number {
  const own = date === undefined ? Number.NaN : Date.parse(date);
  const behind = now - own;
  return Number.isNaN(own) || (behind >= 0 && behind < AGREEING_MS) ? now : own;
}

const AGREEING_MS = 1_500;

/** An item of a list (RFC 9651, 3.1) with its parameters. */
interface Item {
  readonly value: string;
  readonly parameters: Fields;
}

function itemsOf(text: string | undefined): readonly Item[] {
  return (text?.match(/(?:"(?:\\.|[^"\\])*"|[^,"])+/g) ?? []).map((item) => {
    const [value = '', ...parameters] = item.match(/(?:"(?:\\.|[^"\\])*"|[^;"])+/g) ?? [];
    const named = parameters.map((parameter) => {
      const [name = '', ...rest] = parameter.split('=');
      return [name.trim().toLowerCase(), rest.join('=').trim()] as const;
    });
    return { value: value.trim().replace(/^"|"$/g, ''), parameters: Object.fromEntries(named) };
  });
}

function structuredLimits({ ratelimit, 'ratelimit-policy': policy }: Fields): readonly DeclaredLimit[] {
  const policies = itemsOf(policy).map(({ value, parameters }) => {
    const quota = natural(parameters['q']) ?? natural(value);
    return { name: value, limit: quota, windowMs: seconds(parameters['w']) };
  });
  const items = itemsOf(ratelimit);
  const dictionary = Object.fromEntries(items.map(({ value }) => value.toLowerCase().split('=')));
  if ('remaining' in dictionary) {
    const limit = natural(dictionary['limit']);
    const windowMs = policies.find((each) => each.limit === limit)?.windowMs;
    const [remaining, resetMs] = [natural(dictionary['remaining']), seconds(dictionary['reset'])];
    return [{ name: '', isOfResource: false, limit, remaining, resetMs, windowMs }];
  }
  const current = items.flatMap(({ value: name, parameters }): readonly DeclaredLimit[] => {
    const remaining = natural(parameters['r']);
    if (remaining === undefined) return [];
    const { limit, windowMs } = policies.find((each) => each.name === name) ?? {};
    return [{ name, isOfResource: false, limit, remaining, resetMs: seconds(parameters['t']), windowMs }];
  });
  const named = new Set(current.map(({ name }) => name));
  // A policy without its state is kept to by counting.
  const counted = ratelimit === undefined && policies.every(({ windowMs }) => windowMs !== undefined);
  const others = counted ? policies.filter(({ name, limit }) => limit !== undefined && !named.has(name)) : [];
  return [
    ...current,
    ...others.map((each) => ({ ...each, isOfResource: false, remaining: undefined, resetMs: undefined })),
  ];
}

/** The periods that names of fields end with, such as `X-RateLimit-Remaining-Minute`. */
const PERIODS: ReadonlyMap<string, number | undefined> = new Map([
  ['', undefined],
  ['-requests', undefined],
  ['-second', 1_000],
  ['-minute', 60_000],
  ['-hour', 3_600_000],
  ['-day', 86_400_000],
]);

function separateLimits(fields: Fields, reference: number): readonly DeclaredLimit[] {
  return ['ratelimit', 'x-ratelimit'].flatMap((prefix) =>
    [...PERIODS].flatMap(([suffix, period]): readonly DeclaredLimit[] => {
      const remaining = natural(fields[`${prefix}-remaining${suffix}`]);
      if (remaining === undefined) return [];
      const [{ value = '' } = {}, ...policies] = itemsOf(fields[`${prefix}-limit${suffix}`]);
      const limit = natural(value);
      const policy = policies.find((each) => natural(each.value) === limit);
      const reset =
        fields[`${prefix}-reset${suffix}`] ?? (period === undefined ? undefined : fields[`${prefix}-reset`]);
      const resource = fields[`${prefix}-resource`];
      return [
        {
          name: resource ?? suffix,
          isOfResource: resource !== undefined,
          limit,
          remaining,
          resetMs: reset === undefined ? period : timeUntil(reset, reference),
          windowMs: seconds(policy?.parameters['w']) ?? period,
        },
      ];
    }),
  );
}

function natural(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}(?:\.0+)?\s*$/.test(text) ? Number(text) : undefined;
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,12}(?:\.\d+)?\s*$/.test(text) ? Number(text) * 1_000 : undefined;
}

/** Seconds since 1970 are as large since 2001, and milliseconds as large as those. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MILLISECONDS = 1e12;

const DURATION = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/** Until a time that is given as a duration, or as a point in time: in seconds or milliseconds, or as a date. */
function timeUntil(text: string, reference: number): number | undefined {
  const number = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
  if (number !== undefined && number < EPOCH_SECONDS) return number * 1_000;
  const [, hours = 0, minutes = 0, whole = 0, parts = 0] = DURATION.exec(text.trim()) ?? [];
  const duration = (Number(hours) * 3600 + Number(minutes) * 60 + Number(whole)) * 1_000 + Number(parts);
  if (number === undefined && duration > 0) return duration;
  const time =
    number === undefined ? Date.parse(text) : number < EPOCH_MILLISECONDS ? number * 1_000 : number;
  return Number.isNaN(time) ? undefined : Math.max(0, time - reference);
}
