import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Environment, readConfig } from '../../src/config/config.ts';
import { SETTING_GROUPS } from '../../src/config/settings.ts';
import { outcome } from './command.ts';

describe('the .env of a new project', () => {
  let directory: string;
  let text: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'duogate-init-'));
    await outcome(['init', directory]);
    text = readFileSync(join(directory, '.env'), 'utf8');
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('can be used as it is', () => {
    const { auth } = readConfig(parseEnv(text), directory);
    expect(auth).toStrictEqual({
      mode: 'required',
      secret: expect.any(String),
      signUp: 'invite',
      passwords: true,
    });
  });

  it('names the variables that most projects need, which are the same without their comment marks', () => {
    const lines = text.split('\n').filter((line) => /^#?[A-Z]/.test(line));
    expect(lines.map((line) => line.replace(/^#?(\w+)=.*/, '$1'))).toStrictEqual([
      ...Object.keys(SETTING_GROUPS.basics),
      ...Object.keys(SETTING_GROUPS.accounts),
    ]);
    const all = parseEnv(lines.map((line) => line.replace('#', '')).join('\n'));
    const read = (environment: Environment) => ({
      ...readConfig(environment, directory),
      meshEnvironment: {},
    });
    expect(read(all)).toStrictEqual(read(parseEnv(text)));
  });
});

describe('the folder of a new project', () => {
  it('keeps every file that is in it, and its secret from other users', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'duogate-init-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const kept = join(directory, '.env.new');
    writeFileSync(kept, 'mine', { mode: 0o644 });
    expect((await outcome(['init', directory])).code).toBe(0);
    expect(readFileSync(kept, 'utf8')).toBe('mine');
    expect(statSync(join(directory, '.env')).mode & 0o077).toBe(0);
  });
});
