import { describe, expect, it } from 'vitest';
import {
  listSources,
  newSource,
  withEndpoint,
  withoutSource,
  withSource,
} from '../../src/registry/folder/project-sources.ts';

const NOTES = newSource('Notes', './openapi/notes.yaml', 'https://notes.example');

/** The source of the notes in the project file, without its indentation. */
const WRITTEN = [
  '- name: Notes',
  '  handler:',
  '    openapi:',
  '      source: ./openapi/notes.yaml',
  '      endpoint: https://notes.example',
  '      ignoreErrorResponses: true',
  '      operationHeaders:',
  '        x-application-name: "{env.APPLICATION_NAME}"',
  '        x-gateway-api-name: "{env.GATEWAY_API_NAME}"',
];

function written(indent: string): string {
  return WRITTEN.map((line) => `${indent}${line}\n`).join('');
}

/** Project files in two pieces: the source is added between them. */
const FILES: readonly (readonly [layout: string, before: string, after: string, indent: string])[] = [
  ['comments', '# a\nsources: # b\n  - name: A # c\n    handler: { openapi: { source: a } } # d\n', '', '  '],
  [
    'no indentation',
    'sources:\n- name: A\n  handler:\n    openapi:\n      source: "a"   # x\n',
    '\n# end\nserve:\n    port: 1\n',
    '',
  ],
  [
    'wide dashes',
    'sources:\n    -   name: A\n        handler: {"openapi":{"source":"a"}}\n',
    '# z\n',
    '    ',
  ],
  [
    'folded texts',
    'sources:\n  - name: A\n    handler:\n      openapi:\n        source: >-\n          a\n',
    'serve: {}\n',
    '  ',
  ],
];

describe('the text of a project file', () => {
  it.each(FILES)('gets a source, and keeps its %s', (_, before, after, indent) => {
    expect(withSource(before + after, NOTES)).toBe(before + written(indent) + after);
  });

  it.each(FILES)('loses it again, and keeps its %s', (_, before, after, indent) => {
    expect(withoutSource(before + written(indent) + after, 'Notes')).toBe(before + after);
  });

  it.each(FILES)('has its endpoint changed, and keeps its %s', (_, before, after, indent) => {
    const text = before + written(indent) + after;
    expect(withEndpoint(text, 'Notes', 'https://a.example/b')).toBe(
      text.replace('https://notes.example', 'https://a.example/b'),
    );
  });

  it('may be a list in brackets', () => {
    const text = withSource('sources: [{name: A, handler: {openapi: {source: a}}}]\n', NOTES);
    expect(listSources(text).map(({ name }) => name)).toStrictEqual(['A', 'Notes']);
    expect(listSources(withoutSource(text, 'A')).map(({ name }) => name)).toStrictEqual(['Notes']);
  });

  it('loses the first one of several', () => {
    const text = `sources:\n  # of A\n  - name: A\n    handler: {}\n  # of B\n  - name: B\n    handler: {}\n`;
    expect(withoutSource(text, 'A')).toBe('sources:\n  # of A\n  # of B\n  - name: B\n    handler: {}\n');
  });
});
