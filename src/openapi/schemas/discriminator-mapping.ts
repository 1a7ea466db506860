import { type DocumentNode, member, members, nodeAt, text } from '../document/document-node.ts';
import { type DocumentSource, decodeFragment, quote, resolve } from '../document/document-source.ts';

/** A value of a discriminator, and the schema that it stands for. */
interface MappedValue {
  readonly value: string;
  readonly target: DocumentNode;
}

/**
 * The mapping of a discriminator (OpenAPI 3.1, 4.8.25): to schemas by their names or by references to them.
 * What leads to no schema of the document is reported.
 */
export function readMapping(
  source: DocumentSource,
  discriminator: DocumentNode | undefined,
): readonly MappedValue[] {
  const components = member(member(source.root, 'components'), 'schemas');
  return members(member(discriminator, 'mapping')).flatMap(([value, node]) => {
    const written = text(node) ?? '';
    const found = written.startsWith('#/')
      ? nodeAt(source.root, decodeFragment(written.slice(1)))
      : member(components, written.slice(written.lastIndexOf('/') + 1));
    const target = resolve(source, found);
    if (target !== undefined) return { value, target };
    if (found === undefined) {
      const message = `The mapping leads to no schema of the document: ${quote(node.value)}`;
      source.report('warning', node.pointer, message);
    }
    return [];
  });
}
