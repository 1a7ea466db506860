/**
 * Header fields of a client's request that go on to the upstream: what it is traced by, and what keeps a change that
 * is sent again from being made again.
 */
export interface HandedOn {
  /** With every call: the request's name, and its trace (W3C Trace Context, 3.2 and 3.3). Names and values in turn. */
  readonly trace: readonly string[];
  /**
   * With the next change that is made for the request, beside its trace. One request may make several changes:
   * `Idempotency-Key` numbers those behind the first, and what OData's repeatable requests say is for the first alone.
   */
  nextChange(): readonly string[];
}

type Fields = Readonly<Record<string, string | undefined>>;

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]*)?$/;
/** RFC 9110, 5.5: what a field may have, within reason. */
const VALUE = /^[\x20-\x7e]{1,512}$/;

/** `trace`: where it stands in other fields than those of the change, as in a batch. Names are in lower case. */
export function handedOn(id: string, fields: Fields, trace: Fields = fields): HandedOn {
  const traced = ['x-request-id', id, ...traceOf(trace)];
  const repeated = ['repeatability-request-id', 'repeatability-first-sent'].flatMap((name) =>
    given(fields, name),
  );
  const [, key] = given(fields, 'idempotency-key');
  let changes = 0;
  return {
    trace: traced,
    nextChange() {
      changes += 1;
      if (changes === 1)
        return [...traced, ...(key === undefined ? [] : ['idempotency-key', key]), ...repeated];
      return key === undefined ? traced : [...traced, 'idempotency-key', `${key}-${changes}`];
    },
  };
}

function traceOf(fields: Fields): readonly string[] {
  const parent = fields['traceparent'];
  if (parent === undefined || parent.length > 512 || !TRACEPARENT.test(parent)) return [];
  return ['traceparent', parent, ...given(fields, 'tracestate')];
}

function given(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  return value !== undefined && VALUE.test(value) ? [name, value] : [];
}
