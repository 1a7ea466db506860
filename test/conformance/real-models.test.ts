import { afterAll, describe, expect, it } from 'vitest';
import { type ListReport, modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { suggestOverlay } from '../../src/project/suggestion/suggest-overlay.ts';
import { itHasMetadata } from './metadata-document.ts';
import { hasRealDocuments, type RealDocument, realDocuments } from './real-apis/wanted-lists.ts';

if (!hasRealDocuments)
  console.info('Not run: models of real APIs, because ../shared/openapi/real is missing');

/** One entity that has a list among its properties, and answers of one of two kinds, each with a list of its own. */
const NO_LISTS: ReadonlySet<string> = new Set([
  'box /files/{file_id}/metadata/global/boxSkillsCards',
  'box /search',
]);

const derive = (document: unknown) => modelFromOpenApi([{ name: 'Api', document }]);

function readWhole({ text }: RealDocument) {
  const document = text();
  const plain = readDescription({ document });
  return { document, plain, derived: derive(plain.document) };
}

/** The lists of a document that are no tables, and what is not said of them. */
function unreported(
  { name, lists }: RealDocument,
  { derived }: ReturnType<typeof readWhole>,
): readonly string[] {
  const reported = new Map(derived.lists.map((list) => [list.path, list]));
  return lists.flatMap(({ path }) => {
    const lack = NO_LISTS.has(`${name} ${path}`) ? undefined : lackOf(reported.get(path));
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

describe.skipIf(!hasRealDocuments)('the model of a real API', { timeout: 120_000 }, () => {
  describe.each(realDocuments())('$name', (real) => {
    // Made once for all of its tests, and let go of with them: there are large ones.
    let whole: ReturnType<typeof readWhole> | undefined;
    const read = () => {
      whole ??= readWhole(real);
      return whole;
    };
    afterAll(() => {
      whole = undefined;
    });

    itHasMetadata(() => read().derived.model);

    it('has for each list that is no table the place and the words that would help', () => {
      expect(unreported(real, read())).toEqual([]);
    });

    it('is left as it is by the overlay that is suggested, which says what is in it', () => {
      const { document, plain, derived } = read();
      const text = suggestOverlay(plain, undefined);
      const overlaid = readDescription({ document, overlay: { file: 'suggested', text } });
      expect(derive(overlaid.document).model.description).toStrictEqual(derived.model.description);
      expect(text).toMatch(/^ {2}- target: /m);
    });
  });
});
