/** A deliberate defect: one place of the source, what is put there, and the tests that have to fail then. */
export interface Defect {
  readonly part: Part;
  readonly file: string;
  /** It occurs once in the file. */
  readonly text: string;
  readonly replacement: string;
  readonly tests: readonly string[];
}

type Part = 'permissions' | 'conversion' | 'paging' | 'caching' | 'change sets' | 'configuration';

interface Place {
  readonly part: Part;
  readonly file: string;
  readonly tests: readonly string[];
}

function defects(place: Place, changes: readonly (readonly [string, string])[]): readonly Defect[] {
  return changes.map(([text, replacement]) => ({ ...place, text, replacement }));
}

/**
 * Defects in the parts where one costs most. Whoever changes such a place changes its defect with it. What is asked in
 * two places, as the permission for a delete is, has none here: a defect in one of them changes nothing.
 */
export const DEFECTS: readonly Defect[] = [
  ...defects(
    {
      part: 'permissions',
      file: 'src/auth/permissions/permissions.ts',
      tests: ['test/permissions/each-permission.test.ts'],
    },
    [
      ["demandWanted(call, insert, 'Insert');", "demandWanted(call, insert, 'View');"],
      ["demandWanted(call, update, 'Update');", "demandWanted(call, update, 'View');"],
      ["callable.kind === 'reference' ? 'Update' : 'Call'", "'View'"],
    ],
  ),
  ...defects(
    {
      part: 'permissions',
      file: 'src/auth/permissions/may.ts',
      tests: ['test/permissions/each-permission.test.ts'],
    },
    [['=== true);', '!== undefined);']],
  ),
  ...defects(
    {
      part: 'permissions',
      file: 'src/odata/operations/handlers/read/read-all.ts',
      tests: ['test/permissions/each-permission.test.ts'],
    },
    [['parts.filter(({ collection }) => mayView(source, collection.resource, request))', 'parts']],
  ),
  ...defects(
    { part: 'permissions', file: 'src/auth/keys/api-keys.ts', tests: ['test/auth/credentials.test.ts'] },
    [['expiresAt.getTime() <= Date.now()', 'expiresAt.getTime() <= 0']],
  ),
  ...defects(
    {
      part: 'permissions',
      file: 'src/auth/providers/token-verifier.ts',
      tests: ['test/auth/issuers.test.ts', 'test/auth/credentials.test.ts'],
    },
    [
      ['    audience: [issuer.audience].flat(),\n', ''],
      ["requiredClaims: ['exp', 'sub'],", "requiredClaims: ['sub'],"],
      ['clockTolerance: CLOCK_TOLERANCE_S', 'clockTolerance: 1e9'],
    ],
  ),
  ...defects(
    {
      part: 'conversion',
      file: 'src/engine/input/facet-check.ts',
      tests: ['test/odata/value-limits.test.ts', 'test/odata/payload/request-body.test.ts'],
    },
    [
      ['[...String(value)].length', 'String(value).length'],
      ['exclusive ? number > value : number >= value', 'number >= value'],
      ['exclusive ? number < value : number <= value', 'number <= value'],
      ['right > scale', 'right > scale + 1'],
    ],
  ),
  ...defects(
    {
      part: 'conversion',
      file: 'src/engine/input/primitive-input.ts',
      tests: ['test/odata/value-limits.test.ts'],
    },
    [
      ['integer(json, -2_147_483_648, 2_147_483_647)', 'integer(json, -2_147_483_649, 2_147_483_648)'],
      ['integer(json, 0, 255)', 'integer(json, 0, 256)'],
      ['isFree ? json.isWellFormed()', 'isFree ? true'],
    ],
  ),
  ...defects(
    {
      part: 'conversion',
      file: 'src/engine/operators/convert.ts',
      tests: ['test/odata/query/expressions.test.ts'],
    },
    [
      ["? 'ceiling' : 'floor'", "? 'floor' : 'ceiling'"],
      ['(text: string) => text.slice(0, 10)', '(text: string) => text'],
    ],
  ),
  ...defects(
    {
      part: 'paging',
      file: 'src/odata/operations/tokens/paging.ts',
      tests: ['test/odata/paging.test.ts'],
    },
    [
      ['if (!signature.isOf(position, rest, signed)) throw unknownSkipToken();', ''],
      ['const end = offset + size;', 'const end = offset + size + 1;'],
      ['if (rows.length <= end) return { rows: shown', 'if (rows.length < end) return { rows: shown'],
    ],
  ),
  ...defects({ part: 'paging', file: 'src/engine/query/page.ts', tests: ['test/odata/long-pages.test.ts'] }, [
    ['rows.slice(skip, skip + top)', 'rows.slice(0, top)'],
    ['found.slice(page.skip)', 'found'],
  ]),
  ...defects({ part: 'paging', file: 'src/composition/parts.ts', tests: ['test/auth/instances.test.ts'] }, [
    ["    signingKey: config.auth.mode === 'required' ? config.auth.secret : undefined,\n", ''],
  ]),
  ...defects(
    {
      part: 'paging',
      file: 'src/mesh/paging/next-target.ts',
      tests: ['test/openapi/page-links.test.ts', 'test/openapi/page-faults.test.ts'],
    },
    [
      ['url.origin !== origin || ', ''],
      ["url.username !== '' || url.password !== ''", 'false'],
    ],
  ),
  ...defects(
    {
      part: 'caching',
      file: 'src/contract/answer-memory.ts',
      tests: ['test/mesh/unchanged-data.test.ts', 'test/odata/etags.test.ts', 'test/odata/read.test.ts'],
    },
    [['known?.version !== version', 'known === undefined']],
  ),
  ...defects(
    {
      part: 'caching',
      file: 'src/mesh/calls/read-data.ts',
      tests: ['test/mesh/header-arguments.test.ts'],
    },
    [['field.headerArguments.length > 0 ?', 'field.headerArguments.length < 0 ?']],
  ),
  ...defects(
    {
      part: 'caching',
      file: 'src/odata/operations/protocol/data-style.ts',
      tests: ['test/odata/etags.test.ts'],
    },
    [
      ["if (key === PLAIN) return '';", "return '';"],
      ['[maxPageSize, omitValues, includeAnnotations]', '[maxPageSize]'],
    ],
  ),
  ...defects(
    {
      part: 'caching',
      file: 'src/engine/change/precondition.ts',
      tests: ['test/odata/etags.test.ts', 'test/odata/outdated-changes.test.ts'],
    },
    [
      ["if (match !== undefined && !names(match, tag)) throw changed('entity');", ''],
      ['if (match === undefined && operation?.precondition?.required === true) throw unconditional();', ''],
    ],
  ),
  ...defects(
    {
      part: 'change sets',
      file: 'src/odata/operations/handlers/batch/change-set.ts',
      tests: ['test/odata/batch/change-set.test.ts', 'test/odata/batch/undone-changes.test.ts'],
    },
    [
      ['if (refusal !== undefined) return failed(batch, set, refusal, []);', ''],
      ['members.toReversed()', 'members'],
      ['request === last ? batch : noting(batch, done)', 'batch'],
    ],
  ),
  ...defects(
    {
      part: 'change sets',
      file: 'src/odata/operations/handlers/batch/run-items.ts',
      tests: ['test/odata/batch/concurrency.test.ts'],
    },
    [['[referencedId(url), ...dependsOn, ', '[referencedId(url), ']],
  ),
  ...defects(
    {
      part: 'conversion',
      file: 'src/engine/change/fitting-operation.ts',
      tests: ['test/odata/replacements.test.ts'],
    },
    [
      ["method === 'PUT' ? (update.replacing ?? update) : update", 'update'],
      ['[update, update.replacing].find', '[update].find'],
    ],
  ),
  ...defects(
    { part: 'conversion', file: 'src/model/link-change.ts', tests: ['test/odata/immutable-links.test.ts'] },
    [['!computed && !immutable && !key.includes(name)', '!computed && !key.includes(name)']],
  ),
  ...defects(
    {
      part: 'change sets',
      file: 'src/odata/operations/handlers/batch/dry-run.ts',
      tests: [
        'test/odata/batch/change-set.test.ts',
        'test/odata/batch/undone-changes.test.ts',
        'test/odata/batch/permissions.test.ts',
      ],
    },
    [
      ['source.hasGuessedRead() || isDemanded', 'source.hasGuessedRead()'],
      ['demandsPresence: true', 'demandsPresence: false'],
      ['if (isGuessing()) return', 'if (source === undefined) return'],
    ],
  ),
  ...defects(
    {
      part: 'change sets',
      file: 'src/odata/endpoint.ts',
      tests: ['test/odata/batch/permissions.test.ts', 'test/odata/batch/change-set.test.ts'],
    },
    [['source: guard(other)', 'source: other']],
  ),
  ...defects(
    {
      part: 'change sets',
      file: 'src/engine/change/restored-entity.ts',
      tests: ['test/odata/batch/undone-changes.test.ts'],
    },
    [
      [
        "conditions = match === undefined ? site.conditions : { ...site.conditions, 'if-match': match }",
        'conditions = site.conditions',
      ],
      ['found === undefined || properties.length < names.length', 'found === undefined'],
    ],
  ),
  ...defects(
    {
      part: 'change sets',
      file: 'src/engine/change/removed-entity.ts',
      tests: ['test/odata/batch/undone-changes.test.ts'],
    },
    [
      ['stream === undefined && (streams?.size ?? 0) === 0 && !contains && !open', 'true'],
      ['type.key.every(isTaken) && takesWhole', 'takesWhole'],
    ],
  ),
  ...defects(
    {
      part: 'configuration',
      file: 'src/config/limits.ts',
      tests: ['test/config/config.test.ts', 'test/config/every-variable.test.ts'],
    },
    [
      ["read('UPSTREAM_TIMEOUT_MS')", '15_000'],
      ["read('UPSTREAM_CONNECTIONS')", '64'],
    ],
  ),
  ...defects(
    { part: 'configuration', file: 'src/config/settings.ts', tests: ['test/config/served-limits.test.ts'] },
    [['UPSTREAM_QUEUE: number(\n    8192,\n    0,', 'UPSTREAM_QUEUE: number(\n    8192,\n    1,']],
  ),
];
