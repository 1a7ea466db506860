import { freeChoice, isModelName, pascalCase } from '../../model/names.ts';
import { member, text } from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../openapi/document/document-source.ts';
import type { Report } from '../../openapi/document/finding.ts';

/** The namespace of a model without documents, and of a source whose name makes none. */
export const DEFAULT_NAMESPACE = 'Default';

/** CSDL 4.01, 5.1: namespaces that no schema may have, and the aliases of vocabularies. */
const RESERVED_NAMESPACES: ReadonlySet<string> = new Set([
  'Edm',
  'odata',
  'System',
  'Transient',
  'Core',
  'Capabilities',
  'Validation',
]);

/** Names for one thing, the best first. */
export type NameChoice = readonly [string, ...string[]];

/**
 * The first free name, or the first name with a number if all are taken; reports a finding if it is not the
 * first.
 */
export function claimName(
  report: Report,
  taken: { has(name: string): boolean },
  choice: NameChoice,
  pointer: string,
): string {
  const [wanted] = choice;
  const name = freeChoice(choice, taken);
  if (name !== wanted) {
    const severity = choice.includes(name) ? 'info' : 'warning';
    report(severity, pointer, `It is named ${name}: the name ${wanted} is taken`, 'name-is-taken');
  }
  return name;
}

/** A namespace for each document: `x-odata.namespace`, or the name of its source. */
export function claimNamespaces(sources: readonly DocumentSource[]): ReadonlyMap<DocumentSource, string> {
  const taken = new Set(RESERVED_NAMESPACES);
  return new Map(
    sources.map((source) => {
      const declared = documentName(source, 'namespace');
      const wanted = declared ?? pascalCase(source.name) ?? DEFAULT_NAMESPACE;
      const pointer = declared === undefined ? '' : '/x-odata/namespace';
      const name = claimName(source.report, taken, [wanted], pointer);
      taken.add(name);
      return [source, name];
    }),
  );
}

/** The service has one entity container, in the namespace of the first document. */
export function containerName([first, ...others]: readonly DocumentSource[]): string {
  for (const { root, report } of others) {
    for (const key of ['container', 'schemaVersion']) {
      const declared = member(member(root, 'x-odata'), key);
      const message = `It is left out: the first source's document says the ${key} of the whole service`;
      if (declared !== undefined) report('info', declared.pointer, message);
    }
  }
  return (first && documentName(first, 'container')) ?? 'Container';
}

/** A name that the document's `x-odata` gives; a namespace may have several parts with dots between. */
function documentName({ root, report }: DocumentSource, key: 'namespace' | 'container'): string | undefined {
  const declared = member(member(root, 'x-odata'), key);
  const name = text(declared);
  if (declared === undefined || name === undefined) return undefined;
  const parts = key === 'namespace' ? name.split('.') : [name];
  const isReserved = key === 'namespace' && RESERVED_NAMESPACES.has(name);
  if (parts.every(isModelName) && !isReserved) return name;
  report('error', declared.pointer, `${quote(name)} cannot be the name of a ${key}`);
  return undefined;
}
