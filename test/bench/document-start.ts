import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { largeDocument } from './large-document.ts';
import { buildPackage, leastStart } from './least-start.ts';

/** Limits for the start of a gateway with a document as large as GitHub's. */
const SECONDS_MUST = 3;
const MEGABYTES_MUST = 500;
/** The time limit for its GraphQL schema in seconds: that of a whole start with a small document. */
const GRAPHQL_MUST = 1;

/** The gateway as users run it, and as developers do. */
const GATEWAYS = { package: 'package', sources: 'gateway' } as const;

/** Measures the start with each of the documents that are named, which may be gzipped, and with a large one. */
buildPackage();
const files = process.argv.slice(2).map((path) => {
  const bytes = readFileSync(path);
  const isPacked = path.endsWith('.gz');
  return { name: basename(path, '.gz'), text: (isPacked ? gunzipSync(bytes) : bytes).toString() };
});
const rows = [];
for (const { name, text } of [...files, { name: 'large.json', text: largeDocument() }]) {
  for (const [started, server] of Object.entries(GATEWAYS)) {
    rows.push({ document: name, MB: megabytesOf(text), started, ...(await leastStart(server, name, text)) });
  }
}
console.table(rows);
console.log(
  `The large one must start within ${SECONDS_MUST} s, with ${MEGABYTES_MUST} MB, and make its schema within ${GRAPHQL_MUST} s.`,
);

function megabytesOf(text: string): number {
  return Math.round(text.length / 1e5) / 10;
}
