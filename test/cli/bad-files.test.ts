import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { BAD_FILES, lines, OPENAPI } from '../openapi/bad-files.cases.ts';
import { outcome, temporaryFile } from './command.ts';

describe('duogate model with a file that is no OpenAPI document', () => {
  it.each(BAD_FILES)('says what is wrong with %s', async (_, content, message) => {
    const file = await temporaryFile('api.yaml', content);
    const { code, stdout, stderr } = await outcome(['model', file]);
    expect({ code, stdout, stderr }).toStrictEqual({ code: 1, stdout: '', stderr: `api.yaml: ${message}\n` });
  });

  it.each([
    ['nowhere/duogate-cli-x/api.yaml', 'The file cannot be read: there is no file of that name.'],
    [tmpdir(), 'It is a directory, not a file.'],
  ])('does not read %s', async (file, message) => {
    const { code, stdout, stderr } = await outcome(['model', file]);
    expect([code, stdout]).toStrictEqual([1, '']);
    expect(stderr.endsWith(`: ${message}\n`)).toBe(true);
  });
});

describe('duogate model with a document that may be read', () => {
  it.each([
    ['as deep as may be', `{"openapi": "3.1.0", "a": ${'['.repeat(255)}${']'.repeat(255)}}`],
    ['with many names', `${OPENAPI}a:\n${lines(50_000, (i) => ` n${i}: x`)}`],
    ['with a byte order mark', `\u{FEFF}${OPENAPI}`],
    ['in YAML that begins with a bracket', '{openapi: 3.1.0}'],
    [
      'with one name in several objects',
      `{"openapi": "3.1.0", "a": [{"b": "a", "c": {"b": "\\\\"}}, {"b": "a"}]}`,
    ],
    ['with aliases', `${OPENAPI}a: &a [x]\nb: [*a, *a]`],
  ])('reads one %s', async (_, content) => {
    const { code, stderr } = await outcome(['model', await temporaryFile('api.yaml', content)]);
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
  });
});
