import { readFile } from 'node:fs/promises';
import { BaseResolver, createConfig, lintFromString } from '@redocly/openapi-core';

/** Reads a document by its path in the repository. */
export function readOpenApi(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Lints as the registry does: nothing beside the document is read. */
export async function lint(source: string): Promise<readonly string[]> {
  const externalRefResolver = new BaseResolver();
  externalRefResolver.loadExternalRef = (reference) => Promise.reject(new Error(`${reference} is not read`));
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'api.yaml', config, externalRefResolver });
  return problems.map(({ severity, ruleId, message, location }) =>
    [severity, ruleId, location[0]?.pointer, message].join(' '),
  );
}
