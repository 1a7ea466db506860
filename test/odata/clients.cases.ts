/** A request as sent by a client, and the expected response; `~` is the service root. */
export interface ClientCase {
  /** The client, and the section or rule of the standard that its demand rests on. */
  readonly client: string;
  readonly method?: string;
  /** Below the service root, with its query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sent?: string;
  readonly status: number;
  /** Header fields that the answer has; undefined where it must not have one. */
  readonly fields: Readonly<Record<string, string | undefined>>;
  /** The whole body: text as it is, or JSON; undefined where only the header fields matter. */
  readonly body?: unknown;
}

const V40 = { 'odata-version': '4.0' };
const MINIMAL = { ...V40, 'content-type': 'application/json;odata.metadata=minimal' };
const XML = { ...V40, 'content-type': 'application/xml' };
const CEDAR = { UserId: 2, Id: '1', Title: 'Cedar', Body: 'First' };
const AMBER = { UserId: 1, Id: '2', Title: 'amber', Body: 'Second' };
const ROOT = { '@odata.context': '~/$metadata', value: [{ name: 'Post', kind: 'EntitySet', url: 'Post' }] };
const ONE = { '@odata.context': '~/$metadata#Post/$entity', ...CEDAR };
const list = (...value: readonly object[]) => ({ '@odata.context': '~/$metadata#Post', value });

const EXCEL = {
  accept:
    'application/json;odata.metadata=minimal;q=1.0, application/json;odata=minimalmetadata;q=0.9, ' +
    'application/atomsvc+xml;q=0.8, application/atom+xml;q=0.8, application/xml;q=0.7, text/plain;q=0.7',
  'odata-maxversion': '4.0',
  maxdataserviceversion: '3.0',
};

const UI5 = {
  accept: 'application/json;odata.metadata=minimal;IEEE754Compatible=true',
  'odata-maxversion': '4.0',
  'odata-version': '4.0',
  'x-csrf-token': 'Fetch',
};
const UI5_TYPE = { ...V40, 'content-type': 'application/json;odata.metadata=minimal;IEEE754Compatible=true' };

const EXCEL_CASES: readonly ClientCase[] = [
  { client: 'Excel, rule 38', target: '', headers: EXCEL, status: 200, fields: MINIMAL, body: ROOT },
  { client: 'Excel, rule 41', target: '/$metadata', headers: EXCEL, status: 200, fields: XML },
  {
    client: 'Excel, rule 38',
    target: '/Post?$top=1',
    headers: EXCEL,
    status: 200,
    fields: MINIMAL,
    body: list(CEDAR),
  },
  {
    client: 'Excel, ODataOmitValues.Nulls (Part 1, 8.2.8.6)',
    target: '/Post?$skip=2&$top=1&$select=Id,Title',
    headers: { ...EXCEL, prefer: 'omit-values=nulls' },
    status: 200,
    fields: { ...MINIMAL, 'preference-applied': 'omit-values=nulls' },
    body: { '@odata.context': '~/$metadata#Post(Id,Title)', value: [{ Id: '3' }] },
  },
  {
    client: 'Power BI, a fold to $apply (Data Aggregation)',
    target: '/Post?$apply=groupby((UserId),aggregate($count as Number))&$filter=UserId eq 2',
    headers: EXCEL,
    status: 200,
    fields: MINIMAL,
    body: {
      '@odata.context': '~/$metadata#Post(UserId,Number)',
      value: [{ '@odata.id': null, UserId: 2, 'Number@odata.type': '#Decimal', Number: 2 }],
    },
  },
  {
    client: 'Power Query, ApiKeyName: a query parameter of its own (rule 9)',
    target: '/Post?$top=1&subscription-key=secret',
    headers: EXCEL,
    status: 200,
    fields: MINIMAL,
    body: list(CEDAR),
  },
];

const UI5_CASES: readonly ClientCase[] = [
  {
    client: 'UI5, IEEE754Compatible (JSON Format, 3.2)',
    target: '/Post?$count=true&$top=1',
    headers: UI5,
    status: 200,
    fields: UI5_TYPE,
    body: { '@odata.context': '~/$metadata#Post', '@odata.count': '4', value: [CEDAR] },
  },
  { client: 'UI5', target: '/$metadata', headers: { ...UI5, accept: '*/*' }, status: 200, fields: XML },
  {
    client: 'UI5, a HEAD for the security token',
    method: 'HEAD',
    target: '/',
    headers: UI5,
    status: 200,
    fields: V40,
    body: '',
  },
  {
    client: 'UI5, a HEAD for the security token',
    method: 'HEAD',
    target: '/Post',
    headers: { ...UI5, accept: '*/*' },
    status: 200,
    fields: V40,
    body: '',
  },
  ...['/$batch', '/$batch/'].map((target) => ({
    client: 'a HEAD for the security token',
    method: 'HEAD',
    target,
    headers: { 'x-csrf-token': 'Fetch' },
    status: 405,
    fields: { ...V40, allow: 'POST, OPTIONS' },
    body: '',
  })),
  {
    client: 'UI5, an insert',
    method: 'POST',
    target: '/Post',
    headers: { ...UI5, 'content-type': 'application/json;charset=UTF-8;IEEE754Compatible=true' },
    sent: '{"title":"x"}',
    status: 201,
    fields: { ...UI5_TYPE, location: "~/Post('101')" },
    body: { '@odata.context': '~/$metadata#Post/$entity', UserId: null, Id: '101', Title: 'x', Body: null },
  },
];

const SALESFORCE_CASES: readonly ClientCase[] = [
  {
    client: 'Salesforce 4.0, client-driven paging',
    target: '/Post?$count=true&$orderby=Id&$select=Id&$skip=0&$top=1',
    headers: { accept: 'application/json' },
    status: 200,
    fields: MINIMAL,
    body: { '@odata.context': '~/$metadata#Post(Id)', '@odata.count': 4, value: [{ Id: '1' }] },
  },
  {
    client: 'Salesforce 4.0, $count=false',
    target: '/Post?$count=false&$top=1',
    status: 200,
    fields: MINIMAL,
    body: list(CEDAR),
  },
  {
    client: 'Salesforce 4.01',
    target: '/Post?$count=true&$top=1',
    headers: { 'odata-maxversion': '4.01', accept: 'application/json' },
    status: 200,
    fields: { 'odata-version': '4.01', 'content-type': 'application/json;metadata=minimal' },
    body: { '@context': '~/$metadata#Post', '@count': 4, value: [CEDAR] },
  },
  {
    client: 'Salesforce, a search for a phrase',
    target: '/Post?$search="Cedar"',
    status: 200,
    fields: MINIMAL,
    body: list(CEDAR),
  },
];

const BROWSER_CASES: readonly ClientCase[] = [
  {
    client: 'one that sends nothing',
    target: '/Post/?$top=1',
    status: 200,
    fields: MINIMAL,
    body: list(CEDAR),
  },
  ...['application/json;odata=verbose', 'application/json;charset=UTF-8;IEEE754Compatible=true'].map(
    (type): ClientCase => ({
      client: `an insert as ${type} (Part 1, 8.1.1)`,
      method: 'POST',
      target: '/Post',
      headers: { 'content-type': type },
      sent: '{"title":"x"}',
      status: 201,
      fields: MINIMAL,
      body: { '@odata.context': '~/$metadata#Post/$entity', UserId: null, Id: '101', Title: 'x', Body: null },
    }),
  ),
  ...['*/*', 'application/json, text/plain, */*'].map((accept) => ({
    client: `$metadata for ${accept} (Part 1, 11.1.2)`,
    target: '/$metadata',
    headers: { accept },
    status: 200,
    fields: XML,
  })),
  ...[
    { target: '/$metadata', headers: { accept: 'application/json' } },
    { target: '/$metadata?$format=json', headers: { accept: '*/*' } },
  ].map((asked) => ({
    client: '$metadata as CSDL JSON (rule 41)',
    ...asked,
    status: 200,
    fields: { 'odata-version': '4.0', 'content-type': 'application/json' },
  })),
  ...["/Post('1')", "/Post(Id='1')", '/Post/1', "/Post('1')?%24select=*", "/Post('1')/"].map((target) => ({
    client: 'a key in any form (Part 2, 4.3.1, 4.3.6)',
    target,
    status: 200,
    fields: MINIMAL,
    body: target.includes('select') ? { ...ONE, '@odata.context': '~/$metadata#Post(*)/$entity' } : ONE,
  })),
  ...[
    "$filter=contains(tolower(Title),'AMBER') or tolower(Title) eq tolower('AMBER')",
    "%24filter=contains(Title,'mber') eq true",
    "$filter=not (indexof(Title,'mber') eq -1) and Title ne null",
    "$filter=Id in ('2','77')",
  ].map((query) => ({
    client: 'a filter as DevExtreme, Syncfusion and odata2ts write it',
    target: `/Post?${query}`,
    status: 200,
    fields: MINIMAL,
    body: list(AMBER),
  })),
  {
    client: 'a count without rows',
    target: '/Post?$top=0&$count=true',
    status: 200,
    fields: MINIMAL,
    body: { '@odata.context': '~/$metadata#Post', '@odata.count': 4, value: [] },
  },
  {
    client: 'a JSON batch with a method in lower case (JSON Format, 19.1)',
    method: 'POST',
    target: '/$batch',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    sent: '{"requests":[{"id":"1","method":"get","url":"Post/$count"}]}',
    status: 200,
    fields: { ...V40, 'content-type': 'application/json' },
  },
];

/** Rules 37 to 49 where a header field asks for them. */
const RULE_CASES: readonly ClientCase[] = [
  {
    client: 'rule 39: a charset only for who asks for one',
    target: '/Post?$top=1',
    headers: { accept: 'application/json;charset=utf-8' },
    status: 200,
    fields: { ...V40, 'content-type': 'application/json;odata.metadata=minimal;charset=utf-8' },
  },
  ...['application/json;odata.metadata=all', 'application/json;x=1', 'text/html'].map((accept) => ({
    client: `rule 40: ${accept}`,
    target: '/Post',
    headers: { accept },
    status: 406,
    fields: { ...V40, 'content-type': 'application/json', 'content-language': 'en' },
    body: {
      error: {
        code: 'NotAcceptable',
        message:
          'Accept: this resource is available as application/json, text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, application/jsonl or application/x-ndjson.',
        target: 'Accept',
      },
    },
  })),
  {
    client: 'rule 41: $format beats Accept',
    target: '/Post?$format=json&$top=1',
    headers: { accept: 'text/html' },
    status: 200,
    fields: MINIMAL,
    body: list(CEDAR),
  },
  {
    client: 'rule 42: metadata=none keeps the count',
    target: '/Post?$count=true&$top=1',
    headers: { accept: 'application/json;odata.metadata=none' },
    status: 200,
    fields: { ...V40, 'content-type': 'application/json;odata.metadata=none' },
    body: { '@odata.count': 4, value: [CEDAR] },
  },
  {
    client: 'rule 46: an id where the key is missing',
    target: '/Post?$select=Title&$top=1',
    status: 200,
    fields: MINIMAL,
    body: {
      '@odata.context': '~/$metadata#Post(Title)',
      value: [{ '@odata.id': "Post('1')", Title: 'Cedar' }],
    },
  },
  { client: 'rule 47: null', target: "/Post('3')/Title", status: 204, fields: V40, body: '' },
  { client: 'rule 47: null', target: "/Post('3')/Title/$value", status: 204, fields: V40, body: '' },
  {
    client: 'rule 47: $value of no media entity',
    target: "/Post('1')/$value",
    status: 400,
    fields: V40,
    body: {
      error: {
        code: 'BadRequest',
        message: '/$value: expected a media entity or a single primitive value.',
      },
    },
  },
  {
    client: 'rule 48: what the answer depends on',
    target: '/Post?$top=1',
    status: 200,
    fields: { ...MINIMAL, vary: 'accept, odata-maxversion, prefer', 'cache-control': 'private, no-cache' },
  },
  {
    client: 'rule 49: the greatest version that there is',
    target: '/Post?$top=1',
    headers: { 'odata-maxversion': '9.0' },
    status: 200,
    fields: { 'odata-version': '4.01' },
    body: { '@context': '~/$metadata#Post', value: [CEDAR] },
  },
  {
    client: 'rule 49: a version of any number of digits (ABNF: odata-maxversion)',
    target: '/Post?$top=1',
    headers: { 'odata-maxversion': '04.0000' },
    status: 200,
    fields: V40,
  },
  {
    client: 'rule 49: none below 4.0',
    target: '/Post',
    headers: { 'odata-maxversion': '3.0' },
    status: 400,
    fields: V40,
  },
  {
    client: 'rule 57: no snapshots (Part 1, 8.2.6)',
    target: '/Post',
    headers: { 'odata-isolation': 'snapshot' },
    status: 412,
    fields: V40,
    body: {
      error: {
        code: 'PreconditionFailed',
        message: 'Isolation: the upstream has no snapshots of its data.',
        target: 'Isolation',
      },
    },
  },
  {
    client: 'rule 57: as 4.01 calls it',
    target: '/Post',
    headers: { isolation: 'snapshot', 'odata-maxversion': '4.01' },
    status: 412,
    fields: { 'odata-version': '4.01' },
  },
  { client: 'rule 58', target: '/Post?$schemaversion=7', status: 404, fields: V40 },
  {
    client: 'OPTIONS',
    method: 'OPTIONS',
    target: '/Post',
    status: 204,
    fields: { ...V40, allow: 'GET, HEAD, POST, OPTIONS' },
    body: '',
  },
  {
    client: 'rule 54',
    method: 'DELETE',
    target: '/Post',
    status: 405,
    fields: { ...V40, allow: 'GET, HEAD, POST, OPTIONS' },
  },
];

export const CLIENTS: readonly ClientCase[] = [
  ...EXCEL_CASES,
  ...UI5_CASES,
  ...SALESFORCE_CASES,
  ...BROWSER_CASES,
  ...RULE_CASES,
];
