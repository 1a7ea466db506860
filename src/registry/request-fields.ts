import { z } from 'zod';
import type { RelationDecision, WrittenGrants, WrittenMaxAge } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { OverlayAction } from '../contract/improvements.ts';
import type { JsonObject } from '../core/json-object.ts';
import { plainServiceUrl, validateServiceUrl } from '../core/service-url.ts';
import type { Permission } from '../model/permission.ts';
import { LARGEST_DOCUMENT, tooLarge } from './assert-document.ts';
import type { TryItRequest } from './try-it/run-trial.ts';

/** An API to register. */
export interface NewApi {
  readonly name: string;
  readonly description: string;
  readonly serviceUrl?: string | undefined;
  readonly fileName: string;
  readonly document: string;
  /** The URL for fetching the document again. */
  readonly url: string | undefined;
  /** Set if the files of the URL's origin that the document refers to are fetched, too. */
  readonly withFiles?: true | undefined;
}

/** An API to register, with a document or a URL to fetch it from. */
type ApiOrder = Omit<NewApi, 'document'> &
  (
    | { readonly document: string; readonly archive?: undefined }
    | { readonly document: undefined; readonly archive: string }
    | { readonly document: undefined; readonly archive?: undefined; readonly url: string }
  );

/** The parts of an API to replace; undefined ones are kept. */
export type ApiReplacement = Partial<{
  readonly [Name in 'description' | 'serviceUrl' | 'document']: string | undefined;
}>;

const LONGEST_DESCRIPTION = 2000;
const LONGEST_URL = 2000;
const LARGEST_BODY = 1024 * 1024;

const ApiName = text().regex(
  /^[A-Za-z_]\w{0,63}$/,
  'must be 1 to 64 letters, digits and underscores, and begin with no digit',
);

const Description = text().refine(
  (value) => value.length <= LONGEST_DESCRIPTION && /^(?:[^\p{Cc}]|[\n\r\t])*$/u.test(value),
  `must be at most ${LONGEST_DESCRIPTION} printable characters`,
);

const ServiceUrl = text()
  .max(LONGEST_URL, { error: `must have at most ${LONGEST_URL} characters`, abort: true })
  .superRefine((value, { addIssue }) => {
    const reason = validateServiceUrl(value);
    if (reason !== undefined) addIssue(reason);
  })
  .transform(plainServiceUrl);

const FileName = text().max(255, 'must have at most 255 characters');

const Document = text().refine(
  (value) => value.trim() !== '',
  'is empty: it must be the text of an OpenAPI file',
);

const FetchUrl = z
  .string(`must be a string of at most ${LONGEST_URL} characters`)
  .max(LONGEST_URL, `must be a string of at most ${LONGEST_URL} characters`)
  .optional();

const UploadedApi = z.object({
  name: ApiName,
  fileName: FileName,
  document: Document,
  description: Description.default(''),
  serviceUrl: unlessEmpty(ServiceUrl),
});

const FetchedApi = UploadedApi.omit({ document: true }).extend({
  fileName: FileName.default(''),
  withFiles: z
    .boolean('must be true or false')
    .optional()
    .transform((value) => value === true || undefined),
});

/** In characters of base64. */
const LARGEST_ARCHIVE = (LARGEST_DOCUMENT * 4) / 3;

const Archive = text()
  .max(LARGEST_ARCHIVE, 'must be of at most 5 MiB')
  .regex(/^[A-Za-z\d+/]+={0,2}$/, 'must be a ZIP archive in base64');

const ArchivedApi = UploadedApi.omit({ document: true }).extend({ archive: Archive });

export function readNewApi(body: JsonObject): ApiOrder {
  const url = readFetchUrl(body) || undefined;
  if ((body['archive'] ?? '') !== '') return { ...read(ArchivedApi, body), document: undefined, url };
  const isFetched = url !== undefined && (body['document'] ?? '') === '';
  if (isFetched) return { ...read(FetchedApi, body), document: undefined, url };
  return { ...read(UploadedApi, body), url };
}

const Replacement = z.object({
  description: Description.optional(),
  serviceUrl: unlessEmpty(ServiceUrl),
  document: unlessEmpty(Document),
  archive: unlessEmpty(Archive),
});

export function readReplacement(
  body: JsonObject,
): ApiReplacement & { readonly archive?: string | undefined } {
  return read(Replacement, body);
}

const Checked = z.object({
  name: unlessEmpty(ApiName),
  document: text().default(''),
  archive: unlessEmpty(Archive),
});

/** A text to analyze, which may be anything. */
export function readChecked(body: JsonObject) {
  const { name = 'Api', document, archive } = read(Checked, body);
  return { name, document, archive };
}

const Confirmed = z.object({
  confirm: shape(z.array(z.string()), 'must be the list of the changes to confirm').default([]),
});

/** The confirmed messages. */
export function readConfirmed(body: JsonObject): readonly string[] {
  return read(Confirmed, body).confirm;
}

const State = z.object({ state: shape(z.int().min(1), 'must be the number of a state, from 1') });

export function readState(body: JsonObject): number {
  return read(State, body).state;
}

/** The URL to fetch a document from; undefined for the known one. */
export function readFetchUrl(body: JsonObject): string | undefined {
  return read(z.object({ url: FetchUrl }), body).url;
}

const PERMISSIONS = ['View', 'Insert', 'Update', 'Delete', 'Call'] as const satisfies Permission[];

const RoleName = z.string().regex(/^[^\p{Cc}\s](?:[^\p{Cc}]{0,98}[^\p{Cc}\s])?$/u);

const Grants = z.object({
  resources: shape(
    z.array(z.object({ name: z.string(), grants: z.record(RoleName, z.array(z.enum(PERMISSIONS))) })).min(1),
    `must be a list of objects with a name and grants, such as {"User":["View"]}; what can be granted is ${PERMISSIONS.join(', ')}`,
  ),
});

/** The resources with the new permissions of all roles. */
export function readGrants(body: JsonObject): readonly WrittenGrants[] {
  return read(Grants, body).resources;
}

const DECISIONS = z.object({
  relations: shape(
    z
      .array(z.object({ entityType: z.string(), property: z.string(), target: z.string().nullable() }))
      .min(1)
      .max(1_000),
    'must be a list of objects with entityType, property, and target: the name of an entity set, or null to refuse',
  ),
});

export function readDecisions(body: JsonObject): readonly RelationDecision[] {
  return read(DECISIONS, body).relations;
}

const MOST_TARGETS = 1000;

/** The reads to learn from. */
export function readTargets(body: JsonObject): readonly string[] {
  const targets = shape(z.array(z.string()).max(MOST_TARGETS), 'must be a list of JSONPath queries');
  return read(z.object({ reads: targets }), body).reads;
}

const Actions = z.object({
  actions: shape(
    z
      .array(
        z.object({ target: z.string(), description: z.string(), update: z.record(z.string(), z.unknown()) }),
      )
      .min(1)
      .max(MOST_TARGETS),
    'must be a list of overlay actions with a target, a description and an update',
  ),
});

/** The actions for an overlay. */
export function readActions(body: JsonObject): readonly OverlayAction[] {
  return read(Actions, body).actions;
}

/** In characters. */
const MOST_AGE_TEXT = 20;

const MaxAges = z.object({
  maxAges: shape(
    z.array(z.object({ name: z.string(), maxAge: z.string().max(MOST_AGE_TEXT) })).min(1),
    'must be a list of objects with a name and a maxAge: a time such as 30s, 5m, 1h or 1d, or api; an empty text removes it',
  ),
});

/** The resources with the ages of answers that may be used again. */
export function readMaxAges(body: JsonObject): readonly WrittenMaxAge[] {
  return read(MaxAges, body).maxAges;
}

const TrialOrder = z.object({
  method: shape(z.string().regex(/^[A-Za-z]{1,10}$/), 'must be the name of an HTTP method'),
  path: text(),
  headers: shape(z.record(z.string(), z.string()), 'must be an object of strings').default({}),
  body: text().optional(),
});

export function readTrialOrder(body: JsonObject): TryItRequest {
  const { body: sent, ...order } = read(TrialOrder, body);
  if (sent !== undefined && Buffer.byteLength(sent) > LARGEST_BODY) {
    throw new GatewayError('PayloadTooLarge', `The body is larger than ${LARGEST_BODY} bytes.`, {
      target: 'body',
    });
  }
  return { ...order, body: sent };
}

/** In characters. */
const MOST_REASON = 500;
const DISABLING = z.object({ reason: unlessEmpty(text().max(MOST_REASON)) });

/** The reason for disabling an API; empty if none is given. */
export function readReason(body: JsonObject): string {
  return read(DISABLING, body).reason ?? '';
}

/**
 * Validates a request's body; null members count as missing.
 *
 * Throws BadRequest with all mistakes, or PayloadTooLarge for a document.
 */
function read<Schema extends z.ZodType>(schema: Schema, body: JsonObject): z.output<Schema> {
  const { document } = body;
  if (typeof document === 'string' && Buffer.byteLength(document) > LARGEST_DOCUMENT) {
    throw tooLarge('document');
  }
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const details = result.error.issues.map(({ path: [name = ''], message }) => ({
    code: 'BadRequest' as const,
    message: `${String(name)} ${message}.`,
    target: String(name),
  }));
  throw new GatewayError('BadRequest', details.map(({ message }) => message).join(' '), {
    target: details[0]?.target ?? '',
    details,
  });
}

function text(): z.ZodString {
  return z.string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a string') });
}

/** Forms send empty texts for empty fields. */
function unlessEmpty<Schema extends z.ZodType<unknown, string>>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}

/** A schema with one message for all mistakes. */
function shape<Schema extends z.ZodType>(schema: Schema, expected: string) {
  return z.custom<z.output<Schema>>((value) => schema.safeParse(value).success, expected);
}
