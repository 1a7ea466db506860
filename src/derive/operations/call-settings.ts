import type { Operation } from '../../model/operation.ts';
import { type DocumentNode, member, text } from '../../openapi/document/document-node.ts';
import { type Schema, setting } from '../../openapi/schemas/schema.ts';
import { readMaxAge, readRate } from '../vocabulary/times.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import type { Derivation } from './derivation.ts';
import type { DocumentOperation } from './document-operation.ts';

/** Reads `maxAge` and `rate`: of the operation, else of its path, of its entities' schema, or of the document. */
export function callSettings(
  { source }: Derivation,
  { node, method, writtenPath }: DocumentOperation,
  rows: Schema | undefined,
): Pick<Operation, 'maxAge' | 'rate'> {
  const path = member(member(source.root, 'paths'), writtenPath);
  const find = (word: string): DocumentNode | undefined => {
    const [own, ofPath, ofDocument] = [node, path, source.root].map((each) =>
      member(member(each, 'x-odata'), word),
    );
    if (rows !== undefined) markUsed(source, rows, [word]);
    return own ?? ofPath ?? (rows && setting(rows, word)) ?? ofDocument;
  };
  const maxAge = method === 'get' ? readMaxAge(text(find('maxAge'))) : undefined;
  const declared = find('rate');
  const rate = declared && readRate(text(declared));
  return {
    ...(maxAge !== undefined && { maxAge }),
    // Operations to which one word applies share its rate.
    ...(rate && declared && { rate: { ...rate, name: `${source.name}${declared.pointer}` } }),
  };
}
