import type { ExaminedText } from './apis/examinations.ts';
import { type FoundApi, findApi } from './apis/registry.ts';
import type { ChangeDependencies } from './apis/store-changes.ts';
import { demandDocument } from './demand-document.ts';
import { compareOperations, type OperationChanges } from './operation-changes.ts';
import { replaceApi } from './replace-api.ts';

/** What there was of each API when somebody last saw it, by its name. */
export type SeenApis = Map<string, ExaminedText>;

export interface FetchedOperations extends OperationChanges {
  /** Anything of the document, be it a comment. */
  readonly changed: boolean;
}

/** Where a document is fetched from, and what it may take from clients. */
interface FetchOrder {
  readonly url: string | undefined;
  readonly by: string | null;
  readonly confirmed: readonly string[];
}

/**
 * Reads the document of an API again, from its file or, where a URL is given or known, from there; says what has
 * changed since it was seen last. An empty URL means the file.
 */
export async function fetchOperations(
  ground: ChangeDependencies,
  seen: SeenApis,
  name: string,
  { url: givenUrl, ...order }: FetchOrder,
  fetchText: (url: string) => Promise<string>,
): Promise<FetchedOperations> {
  const found = await findApi(ground, name);
  const earlier = seen.get(name) ?? found;
  const url = givenUrl ?? found.entry.registration?.fetchUrl ?? '';
  // What somebody has written into the file is served in a moment; where it cannot be, the report says why.
  if (url === '' && found.entry.source !== undefined) await ground.settle().catch(() => undefined);
  const later = url === '' ? found : await fetchFrom(ground, { url, ...order }, found, await fetchText(url));
  seen.set(name, later);
  return {
    changed: later.digest !== earlier.digest,
    ...compareOperations(earlier.examination, later.examination),
  };
}

async function fetchFrom(
  ground: ChangeDependencies,
  { url, by, confirmed }: FetchOrder & { readonly url: string },
  { digest, entry }: FoundApi,
  document: string,
): Promise<ExaminedText> {
  const { name, file } = entry;
  const fetched = await ground.examinations.ofText(document, name, file);
  demandDocument(fetched.examination, 'url');
  // The file stays as it is where it says the same; where it was fetched from is remembered all the same.
  const kept = fetched.digest === digest ? undefined : document;
  await replaceApi(ground, name, { document: kept, fetchUrl: url }, { by, confirmed });
  return fetched;
}
