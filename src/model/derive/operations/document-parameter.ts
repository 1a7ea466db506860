import { type DocumentNode, items, member } from '../../../openapi/document/document-node.ts';

export interface DocumentParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: DocumentNode | undefined;
  readonly node: DocumentNode;
}

/** The value that a parameter has where nobody gives it one: its default, or the only one that there is. */
export function onlyValue(schema: DocumentNode | undefined): DocumentNode | undefined {
  const [only, ...others] = items(member(schema, 'enum'));
  return member(schema, 'default') ?? member(schema, 'const') ?? (others.length === 0 ? only : undefined);
}
