/** A deliberate defect: one place of the source, what is put there, and the tests that have to fail then. */
export interface Defect {
  readonly part: Part;
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly text: string;
  readonly replacement: string;
  readonly tests: readonly string[];
}

type Part =
  | 'permissions'
  | 'conversion'
  | 'paging'
  | 'caching'
  | 'change sets'
  | 'configuration'
  | 'URLs'
  | 'payload'
  | 'batch'
  | 'answers later'
  | 'GraphQL'
  | 'sign-in'
  | 'model'
  | 'response check'
  | 'promises';

interface Place {
  readonly part: Part;
  readonly file: string;
  readonly tests: readonly string[];
}

function defects(place: Place, changes: readonly (readonly [string, string])[]): readonly Defect[] {
  return changes.map(([text, replacement]) => ({ ...place, text, replacement }));
}

/**
 * Defects in the most critical parts. A change of such code needs a change of its defect. Checks that are
 * made twice, such as the permission for a delete, are not listed, because a defect in one of them has no
 * effect.
 */
export const DEFECTS: readonly Defect[] = [
  ...defects(
    {
      part: 'permissions',
      file: 'src/auth/permissions/guarded-source.ts',
      tests: ['test/permissions/each-permission.test.ts'],
    },
    [
      ["assertWanted(call, insert, 'Insert');", "assertWanted(call, insert, 'View');"],
      ["assertWanted(call, update, 'Update');", "assertWanted(call, update, 'View');"],
      ["callable.kind === 'reference' ? 'Update' : 'Call'", "'View'"],
    ],
  ),
  ...defects(
    {
      part: 'permissions',
      file: 'src/auth/permissions/grants.ts',
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
      file: 'src/engine/input/primitive-input.ts',
      tests: ['test/odata/value-limits.test.ts', 'test/odata/payload/request-body.test.ts'],
    },
    [
      ['[...String(value)].length', 'String(value).length'],
      ['minimum.exclusive ? number > minimum.value : number >= minimum.value', 'number >= minimum.value'],
      ['maximum.exclusive ? number < maximum.value : number <= maximum.value', 'number <= maximum.value'],
      ['right > scale', 'right > scale + 1'],
    ],
  ),
  ...defects(
    {
      part: 'conversion',
      file: 'src/engine/input/primitive-input.ts',
      tests: ['test/odata/value-limits.test.ts'],
    },
    [['isFree ? json.isWellFormed()', 'isFree ? true']],
  ),
  ...defects(
    {
      part: 'conversion',
      file: 'src/engine/values/primitive.ts',
      tests: ['test/odata/value-limits.test.ts'],
    },
    [
      ['[-2_147_483_648n, 2_147_483_647n]', '[-2_147_483_649n, 2_147_483_648n]'],
      ['[0n, 255n]', '[0n, 256n]'],
    ],
  ),
  ...defects(
    {
      part: 'conversion',
      file: 'src/engine/operators/coerce.ts',
      tests: ['test/odata/query/expressions.test.ts'],
    },
    [
      ["? 'ceiling' : 'floor'", "? 'floor' : 'ceiling'"],
      ["['Edm.DateTimeOffset Edm.Date', dateOf]", "['Edm.DateTimeOffset Edm.Date', (text: string) => text]"],
    ],
  ),
  ...defects(
    {
      part: 'paging',
      file: 'src/odata/operations/tokens/paging.ts',
      tests: ['test/odata/paging.test.ts'],
    },
    [
      [
        '] = TOKEN.exec(token) ?? [];\n      if (!signature.isOf(position, rest, signed)) throw unknownSkipToken();',
        '] = TOKEN.exec(token) ?? [];',
      ],
      ['const end = offset + size;', 'const end = offset + size + 1;'],
      ['if (rows.length <= end) return { rows: shown', 'if (rows.length < end) return { rows: shown'],
    ],
  ),
  ...defects(
    { part: 'paging', file: 'src/engine/query/pipeline.ts', tests: ['test/odata/long-pages.test.ts'] },
    [
      ['rows.slice(skip, skip + top)', 'rows.slice(0, top)'],
      ['found.slice(page.skip)', 'found'],
    ],
  ),
  ...defects({ part: 'paging', file: 'src/composition/routes.ts', tests: ['test/auth/instances.test.ts'] }, [
    ["    signingKey: config.auth.mode === 'required' ? config.auth.secret : undefined,\n", ''],
  ]),
  ...defects(
    {
      part: 'paging',
      file: 'src/upstream/paging/strategies/next-url.ts',
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
      file: 'src/contract/exchange.ts',
      tests: ['test/mesh/unchanged-data.test.ts', 'test/odata/etags.test.ts', 'test/odata/read.test.ts'],
    },
    [['known?.version !== version', 'known === undefined']],
  ),
  ...defects(
    {
      part: 'caching',
      file: 'src/upstream/calls/upstream-data.ts',
      tests: ['test/mesh/header-arguments.test.ts'],
    },
    [['field.headerArguments.length > 0 ?', 'field.headerArguments.length < 0 ?']],
  ),
  ...defects(
    {
      part: 'caching',
      file: 'src/odata/operations/protocol/response.ts',
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
      file: 'src/odata/operations/handlers/batch/run-batch.ts',
      tests: ['test/odata/batch/concurrency.test.ts'],
    },
    [['[referencedId(url), ...dependsOn, ', '[referencedId(url), ']],
  ),
  ...defects(
    {
      part: 'conversion',
      file: 'src/engine/change/update-entity.ts',
      tests: ['test/odata/replacements.test.ts'],
    },
    [
      ["method === 'PUT' ? (update.replacing ?? update) : update", 'update'],
      ['[update, update.replacing].find', '[update].find'],
    ],
  ),
  ...defects(
    { part: 'conversion', file: 'src/model/link-change.ts', tests: ['test/odata/immutable-links.test.ts'] },
    [['!property.immutable &&', '']],
  ),
  ...defects(
    {
      part: 'change sets',
      file: 'src/odata/operations/handlers/batch/change-set.ts',
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
      file: 'src/engine/change/update-entity.ts',
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
      file: 'src/engine/change/delete-entity.ts',
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
  ...defects(
    {
      part: 'URLs',
      file: 'src/odata/url/lexer.ts',
      tests: ['test/odata/url/errors.test.ts'],
    },
    [
      ['if (end > position) cursor.fail', 'if (end > position + 1) cursor.fail'],
      ["if (cursor.slashes.has(at)) cursor.fail('%2F instead of a slash in quotes', at);", ''],
    ],
  ),
  ...defects(
    {
      part: 'URLs',
      file: 'src/odata/url/expression.ts',
      tests: ['test/odata/url/expression.test.ts', 'test/odata/url/errors.test.ts'],
    },
    [
      ['parseBinary(cursor, next.power + 1)', 'parseBinary(cursor, next.power)'],
      ['!cursor.done && !cursor.skipSpace()', '!cursor.skipSpace() && false'],
    ],
  ),
  ...defects(
    {
      part: 'URLs',
      file: 'src/odata/url/lexer.ts',
      tests: [
        'test/odata/url/errors.test.ts',
        'test/odata/url/expression.test.ts',
        'test/odata/url/grammar.test.ts',
      ],
    },
    [
      [
        'name.length > IDENTIFIER_LENGTH && [...name].length > IDENTIFIER_LENGTH',
        'name.length > IDENTIFIER_LENGTH',
      ],
      ['this.#nodes > this.limits.nodes', 'this.#nodes >= this.limits.nodes'],
    ],
  ),
  ...defects(
    {
      part: 'URLs',
      file: 'src/odata/url/request-target.ts',
      tests: ['test/odata/form-blanks.test.ts'],
    },
    [
      ["?.replaceAll(PHRASES, '')", ''],
      [' || isReadable(formBlanks(query), limits);', ';'],
    ],
  ),
  ...defects(
    {
      part: 'payload',
      file: 'src/odata/payload/json/json.ts',
      tests: [
        'test/odata/payload/json.test.ts',
        'test/odata/preferences.test.ts',
        'test/odata/expand-options.test.ts',
      ],
    },
    [
      ['type.key.includes(name) ? { ...member, isOmitted } : member', 'member'],
      ['target[countName] = writeCount(count)', 'target[countName] = count'],
      ["if (urlOf === undefined) return version === '4.0';", 'if (urlOf === undefined) return false;'],
    ],
  ),
  ...defects(
    {
      part: 'payload',
      file: 'src/odata/payload/json/value-writers.ts',
      tests: [
        'test/odata/payload/json.test.ts',
        'test/odata/open-entities.test.ts',
        'test/openapi/untyped.test.ts',
      ],
    },
    [
      [
        "value === BigInt.asIntN(64, value) ? 'Edm.Int64' : 'Edm.Decimal'",
        "value === BigInt.asIntN(63, value) ? 'Edm.Int64' : 'Edm.Decimal'",
      ],
      ['return isText ? ofItems(untypedText, use.collection) : this.of(use);', 'return this.of(use);'],
    ],
  ),
  ...defects(
    {
      part: 'payload',
      file: 'src/odata/payload/negotiation/format.ts',
      tests: ['test/odata/payload/format.test.ts', 'test/odata/media-types.test.ts'],
    },
    [
      ['b.quality - a.quality || wildcards(a) - wildcards(b)', 'wildcards(a) - wildcards(b)'],
      ['range.quality === 0 && range.parameters.size === 0', 'false'],
    ],
  ),
  ...defects(
    {
      part: 'batch',
      file: 'src/odata/operations/handlers/batch/run-batch.ts',
      tests: ['test/odata/batch/json.test.ts', 'test/odata/batch/multipart.test.ts'],
    },
    [
      ['if (!continueOnError && hasFailed(answer))', 'if (hasFailed(answer))'],
      [
        'if (item.id !== undefined) outcomes.set(item.id, hasFailed(result.answer) ? FAILED : DONE);',
        'if (item.id !== undefined) outcomes.set(item.id, DONE);',
      ],
    ],
  ),
  ...defects(
    {
      part: 'batch',
      file: 'src/odata/payload/batch/batch-request.ts',
      tests: [
        'test/odata/batch/json.test.ts',
        'test/odata/batch/multipart.test.ts',
        'test/odata/clients.test.ts',
      ],
    },
    [
      ['if (!hosts.includes(authority.toLowerCase()))', 'if (false)'],
      ['path.startsWith(mount) && /^(?:[/?]|$)/.test(path.slice(mount.length))', 'path.startsWith(mount)'],
    ],
  ),
  ...defects(
    {
      part: 'batch',
      file: 'src/odata/payload/batch/read-json.ts',
      tests: ['test/odata/batch/json.test.ts'],
    },
    [
      ['        index = -1;\n', ''],
      ['!before.has(name) || name === group', '!before.has(name)'],
      ['before.has(id) || groups.has(id)', 'before.has(id)'],
    ],
  ),
  ...defects(
    {
      part: 'batch',
      file: 'src/odata/payload/batch/write-batch.ts',
      tests: ['test/odata/batch/multipart.test.ts', 'test/odata/batch/library.test.ts'],
    },
    [['String(Buffer.byteLength(body))', 'String(body.length)']],
  ),
  ...defects(
    {
      part: 'answers later',
      file: 'src/odata/operations/handlers/deferred/deferred-answers.ts',
      tests: [
        'test/odata/deferred-answers.test.ts',
        'test/odata/respond-async.test.ts',
        'test/auth/key-scopes.test.ts',
      ],
    },
    [
      [' && found.scope === scopeOf(asking)', ''],
      ['Math.min(limits.requestsOfOne, left)', 'left'],
      ['      kept.get(name)?.cancel();\n', ''],
      ['found?.owner === ownerName(asking)', 'found !== undefined'],
    ],
  ),
  ...defects(
    {
      part: 'answers later',
      file: 'src/odata/operations/handlers/deferred/deferred-answers.ts',
      tests: ['test/odata/respond-async.test.ts'],
    },
    [
      ['asyncresult: String(status)', "asyncresult: '200'"],
      ["version === '4.0' || parseAccept", 'parseAccept'],
    ],
  ),
  ...defects(
    {
      part: 'GraphQL',
      file: 'src/graphql/query/order.ts',
      tests: ['test/graphql/cursors.test.ts'],
    },
    [
      ["return item.descending ? FALSE : binary('ne', operand, NULL);", 'return FALSE;'],
      ['more.length > 0 || !signature.isOf(content, ordering.list, signed)', 'more.length > 0'],
      [
        "return binary('or', binary('lt', operand, literal(item.type, value)), binary('eq', operand, NULL));",
        "return binary('lt', operand, literal(item.type, value));",
      ],
    ],
  ),
  ...defects(
    {
      part: 'GraphQL',
      file: 'src/graphql/plugins/error.ts',
      tests: ['test/auth/permissions.test.ts', 'test/graphql/values.test.ts'],
    },
    [
      ['if (isOurs && error.path === undefined) return error;', 'return error;'],
      ['...(refused && { http', '...(false && { http'],
    ],
  ),
  ...defects(
    {
      part: 'GraphQL',
      file: 'src/graphql/plugins/introspection.ts',
      tests: ['test/graphql/introspection.test.ts', 'test/auth/visible-model.test.ts'],
    },
    [
      [
        'if (!madeOnce(asking, args.document, () => findIntrospection(args.document))) return undefined;',
        'return undefined;',
      ],
      ["name.value !== '__schema' && name.value !== '__type'", "name.value !== '__schema'"],
    ],
  ),
  ...defects(
    {
      part: 'sign-in',
      file: 'src/auth/providers/authenticator.ts',
      tests: ['test/auth/credentials.test.ts', 'test/mesh/upstream-credentials/per-user.test.ts'],
    },
    [
      ['if (credential?.isCookie) checkOrigin(request, options.origins, true);', ''],
      ["credential === undefined || credential.kind === 'key'", 'credential === undefined'],
    ],
  ),
  ...defects(
    {
      part: 'sign-in',
      file: 'src/auth/requests/client-address.ts',
      tests: ['test/auth/client-address.test.ts'],
    },
    [['hops.findLast((hop) => !isTrusted(hop))', 'hops.find((hop) => !isTrusted(hop))']],
  ),
  ...defects(
    {
      part: 'sign-in',
      file: 'src/auth/requests/rate-limits.ts',
      tests: ['test/auth/rate-limits.test.ts', 'test/auth/guesses.test.ts'],
    },
    [
      ["hash('sha256', email.toLowerCase(), 'base64url')", "hash('sha256', email, 'base64url')"],
      ['counter === guess ? guess.delete(key)', 'counter === guess ? undefined'],
    ],
  ),
  ...defects(
    {
      part: 'model',
      file: 'src/derive/operations/document-operation.ts',
      tests: [
        'test/model/entity-sets.test.ts',
        'test/model/callables.test.ts',
        'test/openapi/demanded-parameters.test.ts',
      ],
    },
    [
      ['item === undefined || isHidden(item)', 'item === undefined'],
      [" || isTrue(member(node, 'required'))", ''],
    ],
  ),
  ...defects(
    {
      part: 'model',
      file: 'src/derive/answers/list-answer.ts',
      tests: ['test/model/conventions.test.ts'],
    },
    [
      ['named !== undefined || beside.every(isAboutAnswer)', 'true'],
      ['kinds.length > 1 && lists.length === kinds.length', 'kinds.length > 1'],
    ],
  ),
  ...defects(
    {
      part: 'response check',
      file: 'src/upstream/reading/structural-reader.ts',
      tests: ['test/mesh/typed-rows.test.ts', 'test/openapi/strict-answers.test.ts'],
    },
    [
      ["type.kind === 'complex' && !nullable ? some : orNull(some)", 'orNull(some)'],
      ["this.#completeness === 'complete' && promised === true", 'false'],
      ['else if (Object.hasOwn(object, upstreamName)) value', 'else if (false) value'],
      ['if (!isMissing && ', 'if ('],
    ],
  ),
  ...defects(
    {
      part: 'response check',
      file: 'src/upstream/reading/value-reader.ts',
      tests: ['test/mesh/typed-rows.test.ts', 'test/mesh/upstream-faults.test.ts'],
    },
    [
      ['if (this.#depth > LEVELS) throw', 'if (this.#depth < 0) throw'],
      ['jsonLeaf(name, values, note === undefined)', 'jsonLeaf(name, { facets: values.facets }, true)'],
    ],
  ),
];
