import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';

const ROOT = join(import.meta.dirname, '../..');

function textsBelow(folder: string, isWanted: (file: string) => boolean): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules') && isWanted(file))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
}

const APP = /startGateway|useGateway|serveProject|src\/main\.ts/;

describe('every variable', () => {
  it('is set by a test of the whole gateway', () => {
    const throughTheApp = textsBelow('test', (file) => !/config\.(?:test|cases)/.test(file)).filter((text) =>
      APP.test(text),
    );
    const isSet = (name: string) => throughTheApp.some((text) => new RegExp(`\\b${name}\\b`).test(text));
    expect(Object.keys(SETTINGS).filter((name) => !isSet(name))).toStrictEqual([]);
  });
});
