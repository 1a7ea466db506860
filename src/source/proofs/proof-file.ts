import { z } from 'zod';
import type { KeptProof } from './parameter-proofs.ts';
import type { KeptRelationProof } from './relation-proofs.ts';

/** The outcomes of probes in a file, without values of rows, and the time at which earlier ones were forgotten. */
export interface ProofFile {
  readonly forgottenAt: number;
  readonly proofs: readonly KeptProof[];
  readonly relations: readonly KeptRelationProof[];
}

const OUTCOME = z.enum(['proved', 'refuted', 'undecided']);
const FILE = z.object({
  forgottenAt: z.number(),
  proofs: z.array(
    z.object({
      identity: z.string(),
      source: z.string(),
      name: z.string(),
      at: z.number(),
      isOfBeginning: z.boolean().optional(),
      subjects: z.array(z.tuple([z.string(), OUTCOME, z.number()])),
    }),
  ),
  // Earlier versions of the file have none.
  relations: z
    .array(
      z.object({
        identity: z.string(),
        source: z.string(),
        name: z.string(),
        verdict: z.enum(['resolved', 'partly', 'contradicted', 'ambiguous', 'undecided', 'unread', 'open']),
        tested: z.number(),
        resolved: z.number(),
        fits: z.array(z.string()),
        at: z.number(),
      }),
    )
    .default([]),
});

/** Nothing for a text of another form: what it lacks is tried out anew. */
export function parseProofs(text: string): ProofFile {
  try {
    return FILE.parse(JSON.parse(text));
  } catch {
    return { forgottenAt: 0, proofs: [], relations: [] };
  }
}

export function writeProofs(file: ProofFile): string {
  return `${JSON.stringify(file)}\n`;
}
