import { largeDocument } from '../large-document.ts';
import { buildPackage, leastStart, type Start } from '../least-start.ts';
import { atEach, type Curve, type Series } from './curve.ts';

/** A series of a figure of the start. */
interface OfStart extends Series {
  readonly figure: keyof Start;
}

const SECONDS: readonly OfStart[] = [
  { name: 'until ready', figure: 'seconds' },
  { name: 'first GraphQL query', figure: 'graphql' },
];
const MEMORY: readonly OfStart[] = [
  { name: 'when ready', figure: 'resident' },
  { name: 'after a GraphQL query', figure: 'residentGraphql' },
];

/** The start of the package with a document of so many operations. */
export const DOCUMENT_CURVE: Curve = {
  name: 'document',
  x: 'operations',
  points: [10, 50, 250, 1_000, 2_000],
  charts: [
    { name: 'document', title: 'Start, by the size of the document', y: 'seconds', series: SECONDS },
    { name: 'document-memory', title: 'Memory, by the size of the document', y: 'MiB', series: MEMORY },
  ],
  measure(points) {
    buildPackage();
    return atEach(points, async (operations) => {
      const start = await leastStart('package', 'large.json', largeDocument(operations));
      return [...SECONDS, ...MEMORY].map(({ figure }) => start[figure]);
    });
  },
};
