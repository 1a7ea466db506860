import { beforeAll, describe, expect, it } from 'vitest';
import { NOBODY } from '../support/role-keys.ts';
import { graphqlRequests, INTROSPECTION } from './graphql-requests.ts';
import { hiddenFrom, ROLES, unknownTo } from './guarded-document.ts';
import {
  ANONYMOUS,
  type GuardedAnswer,
  type GuardedGateway,
  type GuardedRequest,
  markerOf,
  startGuardedGateway,
} from './guarded-gateway.ts';
import { odataRequests } from './odata-requests.ts';
import { PLACES } from './places.ts';

const METADATA: GuardedRequest = {
  method: 'GET',
  path: '/odata/$metadata',
  headers: { accept: 'application/json', 'odata-maxversion': '4.01' },
};

const PLACES_OF_SECRETS = Object.keys(PLACES).map((place) => `Secret-old-${place}`);

/** Generates the requests of a protocol from the description that a role sees. */
const FACES = {
  OData: {
    description: METADATA,
    descriptions: [
      METADATA,
      { method: 'GET', path: '/odata/$metadata', headers: { accept: 'application/xml' } },
      { method: 'GET', path: '/odata', headers: { accept: 'application/json' } },
      { method: 'GET', path: '/', headers: { accept: 'application/json' } },
    ],
    requestsOf: odataRequests,
    shown: ['Owner-old-title', 'Rival-old-set', 'Secret-old-set', ...PLACES_OF_SECRETS],
  },
  GraphQL: {
    description: INTROSPECTION,
    descriptions: [INTROSPECTION],
    requestsOf: graphqlRequests,
    // Which of the other places it serves is the schema's to say.
    shown: ['Owner-old-title', 'Rival-old-set', 'Secret-old-set', 'Secret-old-direct', 'Secret-old-list'],
  },
} as const;

type Face = keyof typeof FACES;

const OTHERS = [...ROLES.filter((role) => role !== 'Admin'), NOBODY, ANONYMOUS];

/** `PERMISSIONS=whole` asks for everything as every role, which takes minutes beside other tests. */
const SHARE = process.env['PERMISSIONS'] === 'whole' ? 1 : 16;

let gateway: GuardedGateway;
beforeAll(async () => {
  gateway = await startGuardedGateway();
});

async function describedTo(role: string, face: Face): Promise<string> {
  const { text } = await gateway.ask(role, FACES[face].description);
  return text.slice(text.lastIndexOf('\n') + 1);
}

const REQUESTS_OF_ALL = new Map<Face, Promise<ReadonlyMap<string, GuardedRequest>>>();

/** All requests that can be made with full knowledge, and with the role's knowledge. */
async function requestsTo(face: Face, role: string): Promise<readonly GuardedRequest[]> {
  const ofAll = REQUESTS_OF_ALL.get(face) ?? generatedRequests(face, 'Admin');
  REQUESTS_OF_ALL.set(face, ofAll);
  const made = [await ofAll, await generatedRequests(face, role)];
  return [...new Map(made.flatMap((requests) => [...requests])).values()];
}

/** One request in {@link SHARE}, others for each role. */
function shareOf(role: string, requests: readonly GuardedRequest[]): readonly GuardedRequest[] {
  const turn = OTHERS.indexOf(role);
  return requests.filter((_, index) => index % SHARE === turn % SHARE);
}

/** By their texts. */
async function generatedRequests(face: Face, role: string): Promise<ReadonlyMap<string, GuardedRequest>> {
  const text = await describedTo(role, face);
  const isDescription = text.startsWith('{') && !text.startsWith('{"error');
  const requests = isDescription ? FACES[face].requestsOf(text) : [];
  return new Map(requests.map((request) => [JSON.stringify(request), request]));
}

function written({ method, path, headers, body = '' }: GuardedRequest): string {
  return `${method} ${decodeURIComponent(path)} ${headers?.prefer ?? ''} ${body}`.trimEnd();
}

const REFUSED = /"code":"(Forbidden|Unauthorized)"/;

function isRefused({ status, text }: GuardedAnswer): boolean {
  return status === 401 || status === 403 || REFUSED.test(text);
}

/** Leaked information about entities that the role may not view. */
interface Leaks {
  /** Requests whose answers show a value of it. */
  readonly shown: string[];
  /** Requests whose answers are others when it is another. */
  readonly told: string[];
  /** Requests that are refused, and not before the upstream is asked. */
  readonly asked: string[];
}

async function leaksTo(role: string, requests: readonly GuardedRequest[]): Promise<Leaks> {
  const hidden = hiddenFrom(role);
  const leaks: Leaks = { shown: [], told: [], asked: [] };
  const open: (readonly [GuardedRequest, GuardedAnswer])[] = [];
  gateway.change([]);
  for (const request of requests) {
    const answer = await gateway.ask(role, request);
    if (hidden.some((type) => answer.text.includes(markerOf(type)))) leaks.shown.push(written(request));
    if (answer.calls > 0) open.push([request, answer]);
    if (answer.calls > 0 && isRefused(answer) && !isOfMany(request)) leaks.asked.push(written(request));
  }
  gateway.change(hidden);
  for (const [request, { text }] of open) {
    if ((await gateway.ask(role, request)).text !== text) leaks.told.push(written(request));
  }
  return leaks;
}

/** Of several requests at once, and of several fields of a document, those that are not refused are carried out. */
function isOfMany({ path, body = '' }: GuardedRequest): boolean {
  return path.endsWith('/$batch') || (path === '/graphql' && SEVERAL_FIELDS.test(body));
}

const SEVERAL_FIELDS = /__typename \w/;

/** Fields that are still the upstream's operations show their results. */
async function isOfOperations(face: Face): Promise<boolean> {
  return face === 'GraphQL' && (await describedTo('Admin', face)).includes('"listOwner"');
}

describe.each(Object.keys(FACES) as readonly Face[])('by %s', (face) => {
  it.for(OTHERS)('%s is told nothing of entities that he may not see', async (role, { skip }) => {
    if (await isOfOperations(face)) skip('the schema is not derived from the model');
    const requests = shareOf(role, await requestsTo(face, role));
    expect(requests.length).toBeGreaterThan(100);
    expect(await leaksTo(role, requests)).toStrictEqual({ shown: [], told: [], asked: [] });
  });

  it.for(OTHERS)(
    '%s is not told that there are types with which he may do nothing',
    async (role, { skip }) => {
      if (await isOfOperations(face)) skip('the schema is not derived from the model');
      const unknown = unknownTo(role).map((type) => new RegExp(`\\b${type}\\b`));
      const reported = await Promise.all(
        FACES[face].descriptions.map(async (request) => (await gateway.ask(role, request)).text),
      );
      expect(unknown.filter((name) => reported.some((text) => name.test(text)))).toStrictEqual([]);
    },
  );

  it('whoever may see everything is shown everything', async () => {
    gateway.change([]);
    const shown = new Set<string>();
    for (const request of await requestsTo(face, 'Admin')) {
      if (FACES[face].shown.every((place) => shown.has(place))) break;
      if (request.method === 'DELETE' || request.path.endsWith('/$batch')) continue;
      const { text } = await gateway.ask('Admin', request);
      for (const [, place = ''] of text.matchAll(/secret-of-(\w+-old-\w+)/g)) shown.add(place);
    }
    expect([...shown]).toEqual(expect.arrayContaining([...FACES[face].shown]));
  });
});
