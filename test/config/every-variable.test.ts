import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const ROOT = join(import.meta.dirname, '../..');

function textsBelow(folder: string, isWanted: (file: string) => boolean): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules') && isWanted(file))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
}

const APP =
  /startGateway|useGateway|serveProject|serveDocument|serveSharedApi|serveTried|servePaged|src\/main\.ts/;

describe('every variable', () => {
  it('is read by the configuration', () => {
    const requested = new Set<string>();
    const environment: Record<string, string> = { AUTH_SECRET: 'x'.repeat(32) };
    readConfig(
      new Proxy(environment, {
        get(known, name) {
          if (typeof name === 'string') requested.add(name);
          return Reflect.get(known, name);
        },
      }),
      ROOT,
    );
    // Those of proxies may be written in small letters, too.
    const read = [...requested].filter((name) => name === name.toUpperCase());
    expect(read.toSorted()).toStrictEqual(Object.keys(SETTINGS).sort());
  });

  it('is set by a test of the whole gateway', () => {
    const throughTheApp = textsBelow('test', (file) => !/config\.(?:test|cases)/.test(file)).filter((text) =>
      APP.test(text),
    );
    const isSet = (name: string) => throughTheApp.some((text) => new RegExp(`\\b${name}\\b`).test(text));
    expect(Object.keys(SETTINGS).filter((name) => !isSet(name))).toStrictEqual([]);
  });
});
