import type { DocumentOperation } from '../../model/derive/operations/document-operation.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { normalizeDocument, type PreparedDocument } from '../normalized-document/normalize-document.ts';
import { whyNotPrepared } from '../normalized-document/prepare-operation.ts';
import type { WrittenSchema } from './load-schema.ts';

/** The schema of one source, of the operations that Mesh can take. */
export interface SourceSchema {
  readonly source: DocumentSource;
  /** Undefined where none of its operations can be taken. */
  readonly schema: WrittenSchema | undefined;
  /** Those that it has no field for. */
  readonly leftOut: readonly DocumentOperation[];
}

type Write = (document: PreparedDocument) => Promise<WrittenSchema>;

/**
 * Makes the schema of a source's operations. One that Mesh fails on is left out and reported: it takes
 * none of the others down.
 */
export async function sourceSchema(
  source: DocumentSource,
  operations: readonly DocumentOperation[],
  write: Write,
): Promise<SourceSchema> {
  const take = (taken: readonly DocumentOperation[]) => write(normalizeDocument(source, taken));
  const leaveOut = ({ node }: DocumentOperation, reason: string): void =>
    source.report('error', node.pointer, `The operation is left out: ${reason}`);
  const report = (operation: DocumentOperation, reason: string): void =>
    leaveOut(operation, `GraphQL Mesh fails on it (${reason})`);
  const fit = operations.filter((operation) => {
    const reason = whyNotPrepared(operation);
    if (reason !== undefined) leaveOut(operation, reason);
    return reason === undefined;
  });
  for (let left: readonly DocumentOperation[] = fit; left.length > 0; ) {
    const outcome = await attempt(take, left);
    if (outcome.kind === 'schema') {
      return { source, schema: outcome.schema, leftOut: operations.filter((each) => !left.includes(each)) };
    }
    const takeable = await separate(take, left, report);
    if (takeable.length < left.length) left = takeable;
    else {
      // Each of them can be taken, but not all together.
      for (const operation of left) report(operation, outcome.reason);
      left = [];
    }
  }
  return { source, schema: undefined, leftOut: operations };
}

type Take = (operations: readonly DocumentOperation[]) => Promise<WrittenSchema>;

type Outcome =
  | { readonly kind: 'schema'; readonly schema: WrittenSchema }
  | { readonly kind: 'failure'; readonly reason: string };

async function attempt(take: Take, operations: readonly DocumentOperation[]): Promise<Outcome> {
  try {
    return { kind: 'schema', schema: await take(operations) };
  } catch (error) {
    return { kind: 'failure', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The operations that can be taken, found by halving those that cannot be taken together. */
async function separate(
  take: Take,
  operations: readonly DocumentOperation[],
  report: (operation: DocumentOperation, reason: string) => void,
): Promise<readonly DocumentOperation[]> {
  const middle = Math.ceil(operations.length / 2);
  const halves = [operations.slice(0, middle), operations.slice(middle)].filter((half) => half.length > 0);
  const takeable: DocumentOperation[] = [];
  for (const half of halves) {
    const outcome = await attempt(take, half);
    const [only] = half;
    if (outcome.kind === 'schema') takeable.push(...half);
    else if (half.length === 1 && only !== undefined) report(only, outcome.reason);
    else takeable.push(...(await separate(take, half, report)));
  }
  return takeable;
}
