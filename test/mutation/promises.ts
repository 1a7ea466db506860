import type { Defect } from './defects.ts';

/** A defect that breaks what a row of a page promises, with the tests that the row names. */
export interface BrokenPromise extends Defect {
  readonly page: 'docs/claims.md' | 'docs/security.md';
  /** The first words of the row. */
  readonly row: string;
}

type Change = readonly [row: string, file: string, text: string, replacement: string, test: string];

const broken = (page: BrokenPromise['page'], changes: readonly Change[]): readonly BrokenPromise[] =>
  changes.map(([row, file, text, replacement, test]) => ({
    part: 'promises',
    page,
    row,
    file,
    text,
    replacement,
    tests: [test],
  }));

/** At least one for each row: `npm run mutation -- promises` breaks them one after the other. */
export const PROMISES: readonly BrokenPromise[] = [
  ...broken('docs/claims.md', [
    [
      "stores none of the API's data",
      'src/upstream/kept/reuse.ts',
      'now < end && ',
      '',
      'test/upstream/kept-answers.test.ts',
    ],
    [
      'every read goes to the API',
      'src/upstream/client/shared-fetches.ts',
      'if (lane !== undefined) return this.#join(key, lane, cancellation, fetch);\n    const own: Lane = { underWay: 0, next: undefined };\n    this.#lanes.set(key, own);\n    return this.#run(key, own, fetch(cancellation));',
      'if (lane !== undefined) return this.#join(key, lane, cancellation, fetch);\n    const own: Lane = { underWay: 0, next: undefined };\n    return this.#run(key, own, fetch(cancellation));',
      'test/mesh/shared-reads.test.ts',
    ],
    [
      'query options work on every list',
      'src/odata/url/select-expand.ts',
      'cursor.limits.expandDepth - cursor.expandDepth + 1',
      'cursor.limits.expandDepth - cursor.expandDepth - 1',
      'test/odata/query',
    ],
    [
      'OData and GraphQL share one set of permissions',
      'src/auth/permissions/guarded-source.ts',
      "assertWanted(call, update, 'Update');",
      "assertWanted(call, update, 'View');",
      'test/permissions/each-permission.test.ts',
    ],
    [
      "the API's own URL, headers and messages never reach a client",
      'src/upstream/exchange/upstream-failure.ts',
      'new GatewayError(code, MESSAGES[code], { cause, headers })',
      'new GatewayError(code, String(cause), { cause, headers })',
      'test/mesh/upstream-faults.test.ts',
    ],
    [
      'served without a restart',
      'src/project/follow-project.ts',
      '      if (!hasChanged(tried) && !isRetryRequested) return;',
      '      if (!isRetryRequested) return;',
      'test/reload.test.ts',
    ],
    [
      'an edited file takes nothing away from users unasked',
      'src/project/assert-confirmed-losses.ts',
      '    ...breakingMessages(changes),\n',
      '',
      'test/registry/edited-files.test.ts',
    ],
    [
      'a URL that is too long is a 414',
      'src/server/server.ts',
      "(request.url ?? '').length > maxTargetLength",
      "(request.url ?? '').length > 2 * maxTargetLength",
      'test/config/served-limits.test.ts',
    ],
    [
      'a 501 names what is missing',
      'src/engine/aggregate/aggregate.ts',
      'notImplemented(scope, position, `the custom aggregate ${quote(name)}`)',
      'notImplemented(scope, 0, `the custom aggregate ${quote(name)}`)',
      'test/odata/query/mistakes.test.ts',
    ],
    [
      '`$levels=max`',
      'src/odata/url/select-expand.ts',
      '{ levels: most, isMost: true }',
      '{ levels: most - 1, isMost: true }',
      'test/docs/claims.test.ts',
    ],
    [
      '`npm test` runs the tests',
      'vitest.config.ts',
      "      'test/reliability/**',\n",
      "      'test/reliability/**',\n      'test/odata/**',\n",
      'test/docs/claims.test.ts',
    ],
    [
      'tests send what clients send',
      'src/odata/payload/negotiation/format.ts',
      "json: 'application/json'",
      "json: 'application/jsonp'",
      'test/odata/clients.test.ts',
    ],
    [
      'a layer imports only those below it',
      'src/core/shorten.ts',
      'export function shorten',
      "import '../app.ts';\n\nexport function shorten",
      'test/architecture.test.ts',
    ],
    [
      'no rule is made for one document',
      'src/core/shorten.ts',
      'export function shorten',
      "export const SAMPLE = 'posts';\n\nexport function shorten",
      'test/docs/claims.test.ts',
    ],
    [
      'all commands in these pages run',
      'docs/testing.md',
      '# Testing',
      '```\nnpx duogate no-such-command\n```\n\n# Testing',
      'test/docs/shell-lines.test.ts',
    ],
  ]),
  ...broken('docs/security.md', [
    [
      "A document's text is never a template",
      'src/mesh/normalized-document/normalize-document.ts',
      'name === undefined ? encodeURIComponent(brace) :',
      'name === undefined ? brace :',
      'test/mesh/document-texts.test.ts',
    ],
    [
      'A changed document is read',
      'src/project/follow-project.ts',
      'failure = { error: err };',
      'process.exitCode = 1;',
      'test/reload.test.ts',
    ],
    [
      'Nobody sees or does more',
      'src/auth/permissions/guarded-source.ts',
      "assertWanted(call, insert, 'Insert');",
      "assertWanted(call, insert, 'View');",
      'test/permissions/each-permission.test.ts',
    ],
    [
      'A key with a scope',
      'src/auth/permissions/grants.ts',
      'isInScope(scoped.scope, resource, permission) && may(resource, permission)',
      'may(resource, permission)',
      'test/auth/key-scopes.test.ts',
    ],
    [
      'A request has a budget',
      'src/odata/url/lexer.ts',
      'if (this.#nodes > this.limits.nodes)',
      'if (this.#nodes > 1000 * this.limits.nodes)',
      'test/odata/query',
    ],
    [
      'With `AUTH=off`',
      'src/server/cross-origin.ts',
      'if (host !== undefined && !names.has(',
      'if (host === "" && !names.has(',
      'test/server/own-pages.test.ts',
    ],
    [
      'Passwords cannot be guessed',
      'src/auth/requests/rate-limits.ts',
      'guess: { points: 5, duration: 900 }',
      'guess: { points: 500, duration: 900 }',
      'test/auth/guesses.test.ts',
    ],
    [
      'Nobody can choose a password that is easy to guess',
      'src/auth/passwords/password-judge-worker.ts',
      'const HARD_TO_GUESS = 3;',
      'const HARD_TO_GUESS = 0;',
      'test/auth/weak-passwords.test.ts',
    ],
    [
      'Accounts are managed by administrators',
      'src/auth/users/users.ts',
      "    .where('id', '!=', id)\n    .where('disabled', '=', values.flag(false))",
      "    .where('disabled', '=', values.flag(false))",
      'test/auth/users.test.ts',
    ],
    [
      'An invitation makes one account',
      'src/auth/invitations/invitations.ts',
      "          .where('email', '=', email.toLowerCase())\n          .where('hash'",
      "          .where('hash'",
      'test/auth/users.test.ts',
    ],
    [
      'Whoever signs in through a provider',
      'src/auth/issuers/issuer-client.ts',
      "parameters.get('state') !== pending.state",
      'false',
      'test/auth/issuer-sign-in.test.ts',
    ],
    [
      'If mail is set up',
      'src/auth/mail/account-mail.ts',
      'if (muted.getStore() !== true) send',
      'if (subject !== "You already have an account" && muted.getStore() !== true) send',
      'test/auth/mail.test.ts',
    ],
    [
      'Keys, tokens, passwords and cookies appear in no log',
      'src/server/access-log.ts',
      '=${REDACTED}`',
      '=${parameter}`',
      'test/server/access-log.test.ts',
    ],
    [
      'Registered APIs are called on the Internet',
      'src/registry/address/address-guard.ts',
      "else if (inner !== undefined) callback(new Error(refusal(host, inner.address)), '', 4);",
      '',
      'test/registry',
    ],
    [
      "No client sees an upstream's URL",
      'src/upstream/exchange/upstream-failure.ts',
      'new GatewayError(code, MESSAGES[code], { cause, headers })',
      'new GatewayError(code, String(cause), { cause, headers })',
      'test/mesh/upstream-faults.test.ts',
    ],
    [
      "None of an upstream's data is written to disk",
      'src/upstream/client/upstream-client.ts',
      'const handler = exchanging(limits, resolve, cancellation);',
      "const handler = exchanging(limits, (outcome) => { if (outcome.kind === 'answer') process.getBuiltinModule('node:fs').writeFileSync(`${process.env['TMPDIR']}/answer`, outcome.body); resolve(outcome); }, cancellation);",
      'test/upstream/nothing-on-disk.test.ts',
    ],
  ]),
];
