import { describe, expect, it } from 'vitest';
import { type ListReport, modelFromOpenApi } from '../../src/model/derive/model-from-openapi.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { hasRealDocuments, type RealDocument, realDocuments } from './real-apis/wanted-lists.ts';

if (!hasRealDocuments) console.info('Not run: lists of real APIs, because ../shared/openapi/real is missing');

/** One entity that has a list among its properties, and answers of one of two kinds, each with a list of its own. */
const NO_LISTS: ReadonlySet<string> = new Set([
  'box /files/{file_id}/metadata/global/boxSkillsCards',
  'box /search',
]);

/** The lists of a document that are no tables, and what is not said of them. */
function untold({ name, lists, text }: RealDocument): readonly string[] {
  const { document } = readDescription({ document: text() });
  const told = new Map(modelFromOpenApi([{ name: 'Api', document }]).lists.map((list) => [list.path, list]));
  return lists.flatMap(({ path }) => {
    const lack = NO_LISTS.has(`${name} ${path}`) ? undefined : lackOf(told.get(path));
    return lack === undefined ? [] : [`${path}: ${lack}`];
  });
}

function lackOf(list: ListReport | undefined): string | undefined {
  if (list === undefined) return 'nothing is said of it';
  const { became, rule, message, hint, pointer } = list;
  if (became !== 'function' && became !== 'nothing') return undefined;
  const lacks = Object.entries({ rule, message, hint, pointer }).filter(([, said]) => !said);
  return lacks.length === 0 ? undefined : `it has no ${lacks.map(([lack]) => lack).join(', ')}`;
}

describe.skipIf(!hasRealDocuments)('a list of a real API that is no table', () => {
  it.each(realDocuments())(
    'has the place and the words that would help: $name',
    (document) => {
      expect(untold(document)).toEqual([]);
    },
    60_000,
  );
});
