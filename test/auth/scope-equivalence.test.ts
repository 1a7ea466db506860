import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { readScope } from '../../src/auth/keys/key-scope.ts';
import type { Principal } from '../../src/contract/principal.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { askGraphQL, type Faces, forwardTo, openFaces, requestOf, userWith } from './faces.ts';
import { LIBRARY_ODATA, LIBRARY_RELATED, type ODataCase } from './matrix.cases.ts';

/** Scopes of what librarians may do, and a role that is granted just that. */
const SCOPES = {
  Catalogue: { Author: ['View'], Book: ['View', 'Call'] },
  Lending: { Loan: ['View', 'Insert', 'Call'], Member: ['View'], Copy: ['View', 'Update'] },
  Desk: { House: ['View', 'Update'], ReadingList: ['View', 'Insert', 'Update', 'Delete'], Copy: ['View'] },
} as const;

type Role = keyof typeof SCOPES;

const ROLES: readonly Role[] = ['Catalogue', 'Lending', 'Desk'];

interface Granting {
  readonly 'x-odata'?: { readonly grants?: Record<string, readonly string[]> };
}

/** The library's document, which grants each role what its scope holds; schemas are called as their sets. */
function documentWithRoles(): object {
  const file = join(import.meta.dirname, '../../examples/library/openapi/library.yaml');
  const document = parse(readFileSync(file, 'utf8'));
  for (const [role, scope] of Object.entries(SCOPES)) {
    for (const [name, permissions] of Object.entries(scope)) {
      const schema: Granting = document.components.schemas[name];
      const grants = schema['x-odata']?.grants;
      if (grants === undefined) throw new Error(`${name} has no grants.`);
      grants[role] = permissions;
    }
  }
  return document;
}

function librarianWith(role: Role): Principal {
  const scope = readScope(SCOPES[role]);
  return { kind: 'user', id: 'key', roles: [], scoped: { roles: ['Librarian'], scope } };
}

let library: SampleUpstream;
let faces: Faces;
beforeAll(async () => {
  library = await startLibraryUpstream();
  faces = await openFaces('Library', documentWithRoles(), forwardTo(library.url));
});
afterAll(async () => {
  await faces.close();
  await library.close();
});

async function isForbidden(principal: Principal, [call, , body]: ODataCase): Promise<boolean> {
  return (await faces.odata(requestOf(principal, call, body))).status === 403;
}

/** The requests and selections that are refused. */
async function refusals(principal: Principal) {
  const refused = [];
  for (const request of LIBRARY_ODATA) if (await isForbidden(principal, request)) refused.push(request[0]);
  for (const selection of Object.keys(LIBRARY_RELATED)) {
    const { errors } = await askGraphQL(faces, principal, `{ ${selection} }`);
    if (errors !== undefined) refused.push(selection);
  }
  return refused;
}

async function reported(principal: Principal, target: string): Promise<unknown> {
  const { body } = await faces.odata(requestOf(principal, `GET ${target}`));
  return JSON.parse(String(body));
}

const SCHEMA = `{
  __schema { types { name fields { name args { name } type { name } } inputFields { name } enumValues { name } } }
}`;

describe.each(ROLES)('a key with the scope %s', (role) => {
  it('may do what a role may do that is granted the same', async () => {
    const expected = await refusals(userWith(role));
    expect(expected.length).toBeGreaterThan(20);
    expect(expected.length).toBeLessThan(LIBRARY_ODATA.length);
    expect(await refusals(librarianWith(role))).toStrictEqual(expected);
  });

  it('knows of what such a role knows of', async () => {
    const [key, user] = [librarianWith(role), userWith(role)];
    for (const target of ['/', '/$metadata?$format=json']) {
      expect(await reported(key, target)).toStrictEqual(await reported(user, target));
    }
    expect(await askGraphQL(faces, key, SCHEMA)).toStrictEqual(await askGraphQL(faces, user, SCHEMA));
  });
});
