import { type DocumentNode, members } from '../../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../../openapi/document/document-source.ts';
import { isNear } from '../../near-name.ts';
import type { PlacedSettings } from './placed-settings.ts';
import { VOCABULARY, type VocabularyPlace } from './vocabulary.ts';

/** Reports every key of every `x-odata` that the vocabulary does not know, and every value that does not fit its key. */
export function checkVocabulary({ report }: DocumentSource, placed: readonly PlacedSettings[]): void {
  for (const { place, settings } of placed) checkSettings(report, place, settings);
}

function checkSettings(
  report: DocumentSource['report'],
  place: VocabularyPlace,
  settings: DocumentNode,
): void {
  if (settings.value === false) {
    if (place === 'document') report('error', settings.pointer, 'The whole document cannot be hidden');
    if (place === 'tag')
      report('error', settings.pointer, 'A tag hides nothing: hide its operations or paths');
    return;
  }
  if (typeof settings.value !== 'object' || settings.value === null || Array.isArray(settings.value)) {
    report('error', settings.pointer, `x-odata is a map or false, not ${quote(settings.value)}`);
    return;
  }
  const keys = VOCABULARY[place];
  for (const [name, node] of members(settings)) {
    const check = keys.get(name);
    const expected = check?.(node);
    if (check === undefined) report('error', node.pointer, unknownKey(name, [...keys.keys()]));
    else if (expected !== undefined) {
      report('error', node.pointer, `${name} is ${expected}, not ${quote(node.value)}`);
    }
  }
}

function unknownKey(name: string, known: readonly string[]): string {
  const near = known.find((key) => isNear(name, key));
  if (near !== undefined) return `x-odata has no key ${quote(name)}: is ${near} meant?`;
  const allowed = known.length === 0 ? 'here it can only be false' : `here it has ${known.join(', ')}`;
  return `x-odata has no key ${quote(name)}: ${allowed}`;
}
