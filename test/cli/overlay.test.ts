import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outcome, temporaryFile } from './command.ts';

const POSTS = readFileSync('openapi/posts.yaml', 'utf8');

function overlay(update: string, target = '$.components.schemas.Post'): string {
  return `overlay: 1.1.0
info: { title: T, version: "1" }
actions:
  - target: ${target}
    update: ${update}
`;
}

/** The posts document, with that overlay beside it. */
async function postsWith(text: string): Promise<string> {
  const file = await temporaryFile('posts.yaml', POSTS);
  writeFileSync(join(dirname(file), 'posts.overlay.yaml'), text);
  return file;
}

describe('an overlay beside a document on the command line', () => {
  it('is applied by model, grants and validate', async () => {
    const file = await postsWith(overlay('{ x-odata: { entitySet: Article, grants: { Guest: [View] } } }'));
    expect((await outcome(['model', file])).stdout).toContain('Article(Id Edm.String)  type Post');
    expect((await outcome(['grants', file])).stdout).toBe(
      '         Guest  User\nArticle  View   View Insert\n',
    );
    const { stdout } = await outcome(['validate', file, '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ model: { entitySets: [{ name: 'Article' }] } }]);
  });

  it('is named where a finding is about what it says', async () => {
    const file = await postsWith(overlay('{ x-odata: { entitySets: Article } }'));
    const { code, stdout } = await outcome(['model', file]);
    expect([code, stdout]).toStrictEqual([
      1,
      expect.stringContaining(
        'x-odata has no key "entitySets": is entitySet meant?\n    posts.overlay.yaml#/actions/0/update/x-odata/entitySets\n',
      ),
    ]);
    expect((await outcome(['validate', file])).stdout).toContain(
      'in the overlay: /actions/0/update/x-odata/entitySets',
    );
  });

  it('has the schema mistakes that it brings in told with its lines, and takes others away', async () => {
    const file = await temporaryFile(
      'posts.yaml',
      POSTS.replace('  title: Posts', '  title: Posts\n  owner: me'),
    );
    expect((await outcome(['validate', file])).stdout).toContain('line 4, column 3  /info/owner');
    writeFileSync(
      join(dirname(file), 'posts.overlay.yaml'),
      `${overlay('{ owns: me }', '$.info')}  - target: $.info.owner\n    remove: true\n`,
    );
    const { stdout } = await outcome(['validate', file]);
    expect(stdout).toContain('in the overlay: line 5, column 15  /actions/0/update/owns');
    expect(stdout).not.toContain('owner');
  });

  it('that does not fit is told with its places', async () => {
    const file = await postsWith(overlay('{}', '$.components.schemas.Pst'));
    const reason =
      'The overlay posts.overlay.yaml cannot be applied: at line 4, column 13 (/actions/0/target): ' +
      '"$.components.schemas.Pst" matches nothing in the document.';
    expect(await outcome(['model', file])).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: `posts.yaml: ${reason}\n`,
    });
    expect(await outcome(['validate', file])).toStrictEqual({
      code: 1,
      stdout: `posts.yaml: ${reason}

Errors: 1

  "$.components.schemas.Pst" matches nothing in the document (bad-overlay)
    in the overlay: line 4, column 13  /actions/0/target
`,
      stderr: '',
    });
  });

  it('gives way to the one that is named', async () => {
    const file = await postsWith('hello: world');
    const other = await temporaryFile('other.yaml', overlay('{ x-odata: { entitySet: Note } }'));
    expect((await outcome(['model', file, '--overlay', other])).stdout).toContain('Note(Id Edm.String)');
    expect((await outcome(['validate', file, '--overlay', other])).code).toBe(0);
    expect((await outcome(['grants', file, '--overlay', '/nowhere.yaml'])).stderr).toContain(
      'The overlay /nowhere.yaml cannot be applied: The file cannot be read: there is no file of that name.',
    );
  });

  it.each([
    [['model', 'a.yaml', 'b.yaml']],
    [['validate', 'a.yaml', 'b.yaml']],
    [['grants', '--project', 'p']],
  ])('is for one file: %j', async (args) => {
    const { code, stderr } = await outcome([...args, '--overlay', 'o.yaml']);
    expect([code, stderr]).toStrictEqual([2, expect.stringContaining('--overlay needs ')]);
  });
});
