import { pascalCase } from '../../model/names.ts';
import { member, text } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import type { NameChoice } from '../names/unique-name.ts';
import { EDITIONS } from '../vocabulary/vocabulary.ts';
import type { DocumentOperation } from './document-operation.ts';

/** Whether a document keeps the names and relations of the first edition (`x-odata.derive`). */
export function isOfFirstEdition({ root }: DocumentSource): boolean {
  return text(member(member(root, 'x-odata'), 'derive')) === EDITIONS[0];
}

/**
 * The name that a person gave an operation: FastAPI appends the path and the method to it, with every other character as
 * an underscore.
 */
export function operationName(
  source: DocumentSource,
  { operationId, id, path, method }: DocumentOperation,
): string {
  const whole = operationId ?? id;
  const appended = `${path.replaceAll(/\W/g, '_')}_${method}`;
  const isAppended = whole.endsWith(appended) && whole.length > appended.length;
  return isAppended && !isOfFirstEdition(source) ? whole.slice(0, -appended.length) : whole;
}

/** The component of a Go type behind the path of its package: `github_com_acme_shop_internal_models.Order`. */
const GO_TYPE = /^\/components\/schemas\/[a-z0-9_-]+\.([A-Z]\w*)$/;

/** The names of a type with the name of the Go type before that with the path of its package. */
export function withoutPackage(source: DocumentSource, choice: NameChoice, pointer: string): NameChoice {
  const [, type = ''] = GO_TYPE.exec(pointer) ?? [];
  const short = pascalCase(type);
  const isOwn = choice[0].endsWith(short ?? ' ');
  return short === undefined || !isOwn || isOfFirstEdition(source) ? choice : [short, ...choice];
}
