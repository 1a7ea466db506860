import { readFile } from 'node:fs/promises';
import { BaseResolver, createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';

const file = new URL('../../openapi/posts.yaml', import.meta.url);

/** Lints as the registry does: nothing beside the document is read. */
async function lint(source: string): Promise<readonly string[]> {
  const externalRefResolver = new BaseResolver();
  externalRefResolver.loadExternalRef = (reference) => Promise.reject(new Error(`${reference} is not read`));
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'posts.yaml', config, externalRefResolver });
  return problems.map(({ severity, ruleId, message, location }) =>
    [severity, ruleId, location[0]?.pointer, message].join(' '),
  );
}

describe('openapi/posts.yaml', () => {
  it('has neither errors nor warnings by the recommended rules', async () => {
    expect(await lint(await readFile(file, 'utf8'))).toEqual([]);
  });

  it('is linted by rules that find a mistake', async () => {
    const broken = (await readFile(file, 'utf8')).replace('operationId: posts', 'operationId: post');
    expect(await lint(broken)).toContainEqual(expect.stringContaining('operation-operationId-unique'));
  });
});
