import { describe, expect, it } from 'vitest';
import { lint, readOpenApi } from './lint.ts';

describe.each(['openapi/posts.yaml', 'examples/library/openapi/library.yaml'])('%s', (name) => {
  it('has neither errors nor warnings by the recommended rules', async () => {
    expect(await lint(await readOpenApi(name))).toEqual([]);
  });

  it('is linted by rules that find a mistake', async () => {
    const source = await readOpenApi(name);
    const [, first] = /operationId: (\w+)/.exec(source) ?? [];
    const broken = source.replaceAll(/operationId: \w+/g, `operationId: ${first}`);
    expect(await lint(broken)).toContainEqual(expect.stringContaining('operation-operationId-unique'));
  });
});
