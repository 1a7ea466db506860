import { member } from '../../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../../openapi/document/document-source.ts';
import type { Schema } from '../../../openapi/schemas/schema.ts';

/**
 * Notes that the model says what those words of the schema's `x-odata` say, so that nobody is told that they have no
 * effect. Of layers that have the same word, the outermost is heeded.
 */
export function heedWords({ heeded }: DocumentSource, { layers }: Schema, words: readonly string[]): void {
  for (const word of words) {
    const settings = layers
      .map((layer) => member(layer, 'x-odata'))
      .find((said) => member(said, word) !== undefined);
    if (settings !== undefined)
      heeded.set(settings.value, (heeded.get(settings.value) ?? new Set()).add(word));
  }
}
