import { z } from 'zod';
import type { KeptProof } from './parameter-proofs.ts';

/** The outcomes of probes in a file, without values of rows, and the time at which earlier ones were forgotten. */
export interface ProofFile {
  readonly forgottenAt: number;
  readonly proofs: readonly KeptProof[];
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
      subjects: z.array(z.tuple([z.string(), OUTCOME, z.number()])),
    }),
  ),
});

/** Nothing for a text of another form: what it lacks is tried out anew. */
export function parseProofs(text: string): ProofFile {
  try {
    return FILE.parse(JSON.parse(text));
  } catch {
    return { forgottenAt: 0, proofs: [] };
  }
}

export function writeProofs(file: ProofFile): string {
  return `${JSON.stringify(file)}\n`;
}
