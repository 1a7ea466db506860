import { LRUCache } from 'lru-cache';
import type { RelationOutcome } from '../../contract/api-report.ts';
import { type CallContext, ownerName } from '../../contract/exchange.ts';
import {
  type RelationFinding,
  relationName,
  relationOutcome,
  UNCHECKED,
} from '../../contract/relation-outcome.ts';
import { entryLimit } from '../../core/entry-limit.ts';
import type { FoundRelation } from '../../model/found-relation.ts';

/** The result of a check with one credential, and its time. */
export interface RelationProof extends RelationFinding {
  readonly at: number;
}

/** A proof as another process may use it: of the same API, document and credential. */
export interface KeptRelationProof extends RelationProof {
  readonly identity: string;
  readonly source: string;
  readonly name: string;
}

const MOST_RECORDS = 10_000;

/** Remembers what data has shown of relations, for one base URL and document, apart for each credential. */
export class RelationProofs {
  readonly #identityOf: (source: string) => string;
  readonly #isPersonal: (source: string) => boolean;
  readonly #records = new LRUCache<string, RelationProof>(entryLimit(MOST_RECORDS));

  constructor(options: {
    readonly identityOf: (source: string) => string;
    readonly isPersonal: (source: string) => boolean;
  }) {
    this.#identityOf = options.identityOf;
    this.#isPersonal = options.isPersonal;
  }

  note(relation: FoundRelation, proof: RelationProof, call: Pick<CallContext, 'principal'>): void {
    this.#records.set(this.#fullName(relation, call), proof);
  }

  outcome(relation: FoundRelation, call: Pick<CallContext, 'principal'>): RelationOutcome {
    return relationOutcome(relation, this.#records.get(this.#fullName(relation, call)) ?? UNCHECKED);
  }

  forget(source?: string): void {
    for (const name of [...this.#records.keys()]) {
      if (source === undefined || name.split('\n')[1] === source) this.#records.delete(name);
    }
  }

  /** The proofs that other processes may use: not those of users' own credentials. */
  kept(): readonly KeptRelationProof[] {
    return [...this.#records.entries()].flatMap(([full, proof]) => {
      const [owner, source = '', name = ''] = full.split('\n');
      return owner === '' ? [{ identity: this.#identityOf(source), source, name, ...proof }] : [];
    });
  }

  /** Takes proofs of another process, unless there are newer ones, or they are of another API. */
  keep(kept: readonly KeptRelationProof[]): void {
    for (const { identity, source, name, ...proof } of kept) {
      const full = ['', source, name].join('\n');
      const isNewer = proof.at <= Date.now() && proof.at > (this.#records.get(full)?.at ?? 0);
      if (isNewer && identity === this.#identityOf(source)) this.#records.set(full, proof);
    }
  }

  #fullName(relation: FoundRelation, { principal }: Pick<CallContext, 'principal'>): string {
    const owner = this.#isPersonal(relation.source) ? ownerName(principal) : '';
    return [owner, relation.source, relationName(relation)].join('\n');
  }
}
