import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

function textsBelow(folder: string, isWanted: (file: string) => boolean): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules') && isWanted(file))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
}

/** Words in capitals and quotes are variables there, but for what one of them may be. */
const VARIABLE = /'([A-Z]+_[A-Z_]+|AUTH|HOST|PORT|METRICS|VOCABULARIES)'/g;
const APP = /startGateway|useGateway|serveProject|src\/main\.ts/;

const variables = [
  ...textsBelow('src/config', () => true),
  ...textsBelow('src/contract', (file) => file.endsWith('-limits.ts')),
].flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name));

describe('every variable', () => {
  it('is found', () => {
    expect(variables.length).toBeGreaterThan(40);
  });

  it('is set by a test of the whole gateway', () => {
    const throughTheApp = textsBelow('test', (file) => !/config\.(?:test|cases)/.test(file)).filter((text) =>
      APP.test(text),
    );
    const isSet = (name: string) => throughTheApp.some((text) => new RegExp(`\\b${name}\\b`).test(text));
    expect([...new Set(variables)].filter((name) => !isSet(name))).toStrictEqual([]);
  });
});
