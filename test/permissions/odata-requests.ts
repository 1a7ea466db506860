import type { GuardedRequest } from './guarded-gateway.ts';

type Json = Readonly<Record<string, unknown>>;

/** CSDL JSON 4.01, as far as requests are made of it. */
interface Csdl {
  readonly schema: Json;
  readonly container: Json;
}

const NAMESPACE = 'Test';
const DEEPEST = 3;

/** The keys of the entities that the upstream has. */
const KEYS: Readonly<Record<string, string>> = { Owner: 'o1', Secret: 's1', Rival: 'r1', Paged: 'p1' };

/** Every kind of request to every place that the metadata document names. */
export function odataRequests(metadata: string): readonly GuardedRequest[] {
  const csdl = parseCsdl(metadata);
  const sets = entriesOf(csdl.container).filter(([, { $Collection }]) => $Collection === true);
  const reads = sets.flatMap(([name, { $Type }]) => readsOf(csdl, name, String($Type)));
  const requests = [
    ...reads.map((path) => get(path)),
    ...sets.flatMap(([name]) =>
      ['full', 'none'].map((metadata) =>
        get(name, { accept: `application/json;odata.metadata=${metadata}` }),
      ),
    ),
    ...sets.flatMap(([name, { $Type }]) => changesOf(csdl, name, String($Type))),
    ...callsOf(csdl),
    get('$crossjoin(Owner,Secret)?$filter=Owner/Title ne Secret/SecretName'),
    get('$crossjoin(Owner,Secret)?$expand=Owner,Secret'),
    get("$entity?$id=Owner('o1')"),
    get("$entity?$id=Secret('s1')"),
    get("Owner?$filter=$root/Secret/any(s:s/SecretName gt 'a')"),
    get("Owner?$filter=$root/Secret('s1')/SecretName gt 'a'"),
    get('$all'),
    get(''),
    get('$metadata'),
    get('$metadata', { accept: 'application/xml' }),
  ];
  return [...requests, ...inBatches(requests)];
}

const get = (path: string, headers: GuardedRequest['headers'] = {}): GuardedRequest => ({
  method: 'GET',
  path: `/odata/${path.replaceAll(' ', '%20')}`,
  headers: { accept: 'application/json', 'odata-maxversion': '4.01', ...headers },
});

function parseCsdl(text: string): Csdl {
  const document = JSON.parse(text) as Json;
  const schema = document[NAMESPACE] as Json;
  const name = String(document.$EntityContainer).split('.').at(-1) ?? '';
  return { schema, container: schema[name] as Json };
}

function entriesOf(object: unknown): readonly (readonly [string, Json])[] {
  return Object.entries((object ?? {}) as Json).flatMap(([name, value]) =>
    /^[$@]|@/.test(name) || typeof value !== 'object' || value === null
      ? []
      : [[name, value as Json] as const],
  );
}

interface Member {
  readonly path: string;
  readonly collection: boolean;
  readonly navigation: boolean;
}

/** The members of values of a type, to a depth; below a collection with an item. */
function membersOf({ schema }: Csdl, type: string, depth = 1): readonly Member[] {
  const declared = schema[type.replace(`${NAMESPACE}.`, '')] as Json | undefined;
  return entriesOf(declared).flatMap(([name, { $Kind, $Type = 'Edm.String', $Collection }]) => {
    const member = {
      path: name,
      collection: $Collection === true,
      navigation: $Kind === 'NavigationProperty',
    };
    if (!String($Type).startsWith(NAMESPACE) || depth === DEEPEST || member.collection) return [member];
    const inner = membersOf({ schema, container: {} }, String($Type), depth + 1);
    return [member, ...inner.map((each) => ({ ...each, path: `${name}/${each.path}` }))];
  });
}

/** Undeclared members of values. */
const UNDECLARED = ['first', 'secretName', 'SecretName', 'first/secretName'];

function readsOf(csdl: Csdl, set: string, type: string): readonly string[] {
  const entity = `${set}('${KEYS[set] ?? 'x'}')`;
  const members = membersOf(csdl, type);
  return [
    ...[
      '',
      '?$select=*',
      '?$expand=*',
      '?$expand=*($levels=2)',
      '/$count',
      '/$ref',
      '?$search=secret',
      '?$top=1&$count=true',
      '?$apply=concat(identity,aggregate($count as N))',
      '?$apply=search(secret)',
      '?$compute=1 as One',
    ].map((rest) => `${set}${rest}`),
    `${set}?$filter=startswith(${'SecretName'},'secret')`,
    ...['', '?$select=*', '?$expand=*', '/$ref'].map((rest) => `${entity}${rest}`),
    ...members.flatMap((member) => readsOfMember(set, entity, member)),
    ...UNDECLARED.flatMap((name) =>
      readsOfMember(set, entity, { path: name, collection: false, navigation: false }),
    ),
  ];
}

function readsOfMember(
  set: string,
  entity: string,
  { path, collection, navigation }: Member,
): readonly string[] {
  const probe = collection ? `${path}/any(x:x ne null)` : `${path} ne null`;
  const [first = '', ...rest] = path.split('/');
  const plain = [
    `${entity}/${path}`,
    `${entity}/${path}/$value`,
    `${entity}/${path}/$count`,
    `${set}?$filter=${probe}`,
    `${set}?$filter=${path}/$count gt 2`,
    `${set}?$orderby=${path} desc`,
    `${set}?$orderby=${path}/$count`,
    `${set}?$select=${path}`,
    `${set}?$compute=${path} as X&$select=X`,
    `${set}?$filter=contains(cast(${path},Edm.String),'-new-')`,
    `${set}?$apply=groupby((${path}))`,
    `${set}?$apply=aggregate(${path} with countdistinct as N)`,
    `${set}?$apply=compute(${path} as X)`,
  ];
  if (!navigation || rest.length > 0) {
    return [...plain, `${set}?$expand=${path}`, `${set}?$expand=${path}($expand=*)`];
  }
  return [
    ...plain,
    `${entity}/${path}/$ref`,
    `${entity}/${path}?$select=*`,
    `${set}?$expand=${first}($select=*)`,
    `${set}?$expand=${first}/$ref`,
    `${set}?$expand=${first}/$count`,
    `${set}?$filter=${collection ? `${path}/any(x:contains(x/SecretName,'-new-'))` : `contains(${path}/SecretName,'-new-')`}`,
    `${set}?$orderby=${path}/SecretName`,
    `${set}?$apply=groupby((${path}/SecretName))`,
  ];
}

const PREFERENCES = [
  'return=representation',
  'return=minimal',
  'return=representation,odata.continue-on-error',
];

function changesOf(csdl: Csdl, set: string, type: string): readonly GuardedRequest[] {
  const entity = `${set}('${KEYS[set] ?? 'x'}')`;
  const names = membersOf(csdl, type).map(({ path }) => path);
  const change = (
    method: string,
    path: string,
    body: object | undefined,
    prefer: string,
  ): GuardedRequest => ({
    ...get(path, { prefer }),
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  const shown = ['', '?$select=*', '?$expand=*', ...names.map((name) => `?$select=${name}`)];
  const bodies: readonly object[] = [{}, set === 'Owner' ? { Title: 'x' } : { [`${set}Name`]: 'x' }];
  return [
    ...shown.flatMap((rest) =>
      bodies.map((body) => change('PATCH', `${entity}${rest}`, body, 'return=representation')),
    ),
    ...PREFERENCES.flatMap((prefer) => [
      ...['', '?$select=*', '?$expand=*'].flatMap((rest) => [
        change('POST', `${set}${rest}`, { Id: 'n' }, prefer),
        change('PUT', `${entity}${rest}`, { Id: KEYS[set] }, prefer),
      ]),
      ...names.map((name) => change('DELETE', `${entity}/${name}`, undefined, prefer)),
      ...names.map((name) => change('PUT', `${entity}/${name}`, { value: null }, prefer)),
      change('PATCH', `${set}/$each`, {}, prefer),
      change('PATCH', `${set}/$filter(Id ne 'x')/$each`, {}, prefer),
    ]),
    change('DELETE', entity, undefined, 'return=minimal'),
  ];
}

function callsOf({ schema, container }: Csdl): readonly GuardedRequest[] {
  const imports = entriesOf(container).flatMap(([name, { $Function, $Action }]) => {
    if ($Function !== undefined) {
      return [
        '',
        '?$select=*',
        '?$expand=*',
        '/$count',
        '/First',
        '/SecretName',
        '/Found',
        '/Inner',
        '/Items',
      ].map((rest) => get(`${name}()${rest}`));
    }
    return $Action === undefined ? [] : [{ ...get(name), method: 'POST', body: '{}' }];
  });
  const bound = Object.entries(schema).flatMap(([name, overloads]) =>
    Array.isArray(overloads) && overloads.some(({ $IsBound }: Json) => $IsBound === true)
      ? [{ ...get(`Owner('o1')/${NAMESPACE}.${name}`), method: 'POST', body: '{}' }]
      : [],
  );
  return [...imports, ...bound];
}

const BATCH = 80;

/** The reads again in batches, because responses must not leak into those of other parts. */
function inBatches(requests: readonly GuardedRequest[]): readonly GuardedRequest[] {
  const reads = requests.filter(({ method }) => method === 'GET');
  return Array.from({ length: Math.ceil(reads.length / BATCH) }, (_, batch) => ({
    ...get('$batch'),
    method: 'POST',
    body: JSON.stringify({
      requests: reads.slice(batch * BATCH, (batch + 1) * BATCH).map(({ path }, index) => ({
        id: String(index),
        method: 'GET',
        url: path,
      })),
    }),
  }));
}
