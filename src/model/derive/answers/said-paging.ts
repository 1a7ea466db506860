import {
  type DocumentNode,
  isTrue,
  items,
  member,
  number,
  text,
} from '../../../openapi/document/document-node.ts';
import { quote } from '../../../openapi/document/document-source.ts';
import type { AnswerPath } from '../../paging.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import type { DocumentParameter } from '../operations/document-parameter.ts';

/** What a document says of the pages of a list in so many words. */
export interface SaidPaging {
  readonly size?: DocumentParameter | undefined;
  readonly page?: DocumentParameter | undefined;
  readonly offset?: DocumentParameter | undefined;
  readonly cursor?: DocumentParameter | undefined;
  /** The cursor is this property of the last item. */
  readonly lastKey?: string | undefined;
  readonly next?: AnswerPath | 'header:link' | undefined;
  readonly more?: AnswerPath | undefined;
  readonly total?: AnswerPath | undefined;
  readonly first?: 0 | 1 | undefined;
  readonly maxTop?: number | undefined;
  /** Said by `x-odata.pageOf`, which asks for no more than it says. */
  readonly isPageOf: boolean;
}

/** What `x-odata` says, else what an extension says that others have made. Undefined where nothing is said. */
export function saidPaging(derivation: Derivation, operation: DocumentOperation): SaidPaging | undefined {
  const { node } = operation;
  const own = member(node, 'x-odata');
  // Of a feed of changes, the same words say something else.
  if (own !== undefined && member(own, 'since') === undefined) {
    const said = ownWords(derivation, operation, own);
    if (Object.values(said).some((word) => word !== undefined && word !== false)) return said;
  }
  const found = [
    member(node, 'x-ms-pageable') && msPageable(member(node, 'x-ms-pageable')),
    member(node, 'x-speakeasy-pagination') && speakeasy(operation, member(node, 'x-speakeasy-pagination')),
    member(node, 'x-fern-pagination') && fern(operation, member(node, 'x-fern-pagination')),
  ];
  return found.find((each) => each !== undefined);
}

function ownWords(derivation: Derivation, operation: DocumentOperation, settings: DocumentNode): SaidPaging {
  const parameter = (key: string): DocumentParameter | undefined =>
    demandParameter(derivation, operation, member(settings, key));
  const path = (key: string): AnswerPath | undefined => pathOf(text(member(settings, key)), '/');
  const next = text(member(settings, 'next'));
  const first = number(member(settings, 'first'));
  return {
    size: parameter('top'),
    page: parameter('page'),
    offset: parameter('skip'),
    cursor: parameter('cursor'),
    next: next === 'header:link' ? next : path('next'),
    more: path('more'),
    total: path('total'),
    first: first === 0 || first === 1 ? first : undefined,
    maxTop: number(member(settings, 'maxTop')),
    isPageOf: member(settings, 'pageOf') !== undefined,
  };
}

function demandParameter(
  { source }: Derivation,
  operation: DocumentOperation,
  node: DocumentNode | undefined,
): DocumentParameter | undefined {
  const found = parameterNamed(operation, text(node));
  if (node !== undefined && found === undefined)
    source.report('error', node.pointer, `The operation has no parameter ${quote(node.value)}`);
  return found;
}

function parameterNamed(
  { parameters }: DocumentOperation,
  name: string | undefined,
): DocumentParameter | undefined {
  return parameters.find((parameter) => parameter.in === 'query' && parameter.name === name);
}

function pathOf(written: string | undefined, separator: '/' | '.'): AnswerPath | undefined {
  return written === undefined || written === '' ? undefined : written.split(separator);
}

/** AutoRest's: the property that has the URL of the next page. Null for it says that there is one page. */
function msPageable(node: DocumentNode | undefined): SaidPaging | undefined {
  const next = pathOf(text(member(node, 'nextLinkName')), '.');
  return next && { next, isPageOf: false };
}

/** Speakeasy's: `inputs` are parameters by their meaning, `outputs` JSONPaths (RFC 9535) of single properties. */
function speakeasy(operation: DocumentOperation, node: DocumentNode | undefined): SaidPaging {
  const input = (type: string): DocumentParameter | undefined => {
    const found = items(member(node, 'inputs')).find(
      (each) => text(member(each, 'type')) === type && text(member(each, 'in')) === 'parameters',
    );
    return parameterNamed(operation, text(member(found, 'name')));
  };
  const written = (name: string): string => text(member(member(node, 'outputs'), name)) ?? '';
  const output = (name: string): AnswerPath | undefined =>
    /^\$(?:\.[^.[\]]+)+$/.test(written(name)) ? pathOf(written(name).slice(2), '.') : undefined;
  return {
    size: input('limit'),
    page: input('page'),
    offset: input('offset'),
    cursor: input('cursor'),
    lastKey: LAST_ITEM.exec(written('nextCursor'))?.[1],
    next: output('nextUrl') ?? output('nextCursor'),
    isPageOf: false,
  };
}

/** A property of the last item of a list, by a negative index (RFC 9535, 2.3.3): `$.data[-1].id`. */
const LAST_ITEM = /^\$(?:\.[^.[\]]+)*\[-1\]\.([^.[\]]+)$/;

/** Fern's: `$request.name` is a parameter, `$response.name` a property. An offset without a `step` counts pages. */
function fern(operation: DocumentOperation, node: DocumentNode | undefined): SaidPaging | undefined {
  if (node === undefined || isTrue(node)) return undefined;
  const behind = (key: string, root: string): string | undefined => {
    const written = text(member(node, key));
    return written?.startsWith(`${root}.`) ? written.slice(root.length + 1) : undefined;
  };
  const input = (key: string) => parameterNamed(operation, behind(key, '$request'));
  const output = (key: string) => pathOf(behind(key, '$response'), '.');
  const counts = input('offset');
  const size = input('step');
  return {
    size,
    page: size === undefined ? counts : undefined,
    offset: size === undefined ? undefined : counts,
    cursor: input('cursor'),
    next: output('next_uri') ?? output('next_cursor'),
    more: output('has-next-page'),
    isPageOf: false,
  };
}
