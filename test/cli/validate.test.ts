import { describe, expect, it } from 'vitest';
import { outcome, temporaryFile } from './command.ts';

const GOOD = 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\n';

describe('duogate validate', () => {
  it('says that there are no errors', async () => {
    expect(await outcome(['validate', 'openapi/posts.yaml'])).toStrictEqual({
      code: 0,
      stdout: 'openapi/posts.yaml: There are no schema validation errors.\n',
      stderr: '',
    });
  });

  it('says what is wrong and where, and what is left out', async () => {
    const file = await temporaryFile('api.yaml', GOOD.replace('title: T', 'title: T, owner: me'));
    expect(await outcome(['validate', file])).toStrictEqual({
      code: 1,
      stdout: `api.yaml: There is 1 schema validation error: what it is about may not be served.

Errors: 1

  Property \`owner\` is not expected here. (struct)
    line 2, column 19  /info/owner

Left out or limited: 1

  Nothing of the document can be served
    the document
`,
      stderr: '',
    });
  });

  it('prints the same report as JSON, of several files', async () => {
    const files = [await temporaryFile('good.yaml', GOOD), await temporaryFile('old.yaml', 'swagger: "1.2"')];
    const { code, stdout } = await outcome(['validate', ...files, '--json']);
    expect([code, JSON.parse(stdout)]).toStrictEqual([
      1,
      [
        {
          file: 'good.yaml',
          report: { kind: 'openapi-3.1', summary: 'There are no schema validation errors.', findings: [] },
          model: {
            entitySets: [],
            singletons: [],
            functions: [],
            actions: [],
            leftOut: [{ severity: 'warning', pointer: '', message: 'Nothing of the document can be served' }],
          },
        },
        {
          file: 'old.yaml',
          report: {
            kind: 'not-openapi',
            summary: expect.stringContaining('Its `swagger` version must be the text "2.0"'),
            findings: [expect.objectContaining({ severity: 'error', rule: 'not-openapi' })],
          },
        },
      ],
    ]);
  });

  it('says that a file cannot be read', async () => {
    const { code, stdout } = await outcome(['validate', '/nowhere.yaml']);
    expect([code, stdout]).toStrictEqual([
      1,
      expect.stringMatching(/^\/nowhere\.yaml: The file cannot be read: there is none of that name\./),
    ]);
  });

  it.each([[['validate']], [['validate', '--xml', 'x']]])('does not understand %j', async (args) => {
    expect((await outcome(args)).code).toBe(2);
  });
});
