import { isObject } from '../../core/json-object.ts';
import { DEEPEST_DOCUMENT, isShallow } from '../parse/document-nesting.ts';
import { own } from '../parse/openapi-version.ts';
import {
  type DocumentNode,
  isTrue,
  items,
  member,
  members,
  nodeAt,
  rootNode,
  text,
} from './document-node.ts';
import { collectFindings, type Finding, type Report } from './finding.ts';

/** An OpenAPI document while a model is derived from it. */
export interface DocumentSource {
  /** The name of the source in the project, such as `Posts`. */
  readonly name: string;
  readonly root: DocumentNode;
  /**
   * `x-odata.strict`: values that do not match the document are errors; otherwise they are converted if
   * possible.
   */
  readonly strict: boolean;
  /** Parameters that the project sets for each call, so that clients cannot. */
  readonly supplied: SuppliedParameters;
  /** By `$id` and `$anchor`. */
  readonly identifiedSchemas: () => ReadonlyMap<string, DocumentNode>;
  /** The words of `x-odata` that had an effect, by their object. */
  readonly usedKeywords: Map<unknown, Set<string>>;
  readonly report: Report;
  readonly findings: () => readonly Finding[];
}

/** Names of parameters, in lower case for headers, and the URL of the operations. */
export interface SuppliedParameters {
  readonly headers: ReadonlySet<string>;
  readonly query: ReadonlySet<string>;
  /** Undefined for the document's own server. */
  readonly endpoint?: string | undefined;
}

const NOTHING_SUPPLIED: SuppliedParameters = { headers: new Set(), query: new Set() };

export function documentSource(
  name: string,
  document: unknown,
  supplied: SuppliedParameters = NOTHING_SUPPLIED,
): DocumentSource {
  const root = rootNode(document);
  let schemas: ReadonlyMap<string, DocumentNode> | undefined;
  const identified = (): ReadonlyMap<string, DocumentNode> => {
    schemas ??= identifiedSchemas(root);
    return schemas;
  };
  const strict = isTrue(member(member(root, 'x-odata'), 'strict'));
  const usedKeywords = new Map<unknown, Set<string>>();
  return {
    name,
    root,
    strict,
    supplied,
    identifiedSchemas: identified,
    usedKeywords,
    ...collectFindings(name),
  };
}

/** Maximum number of references in a chain. */
const LONGEST_CHAIN = 32;

/**
 * The nodes along a chain of `$ref`s, to the one without a `$ref`.
 *
 * Only references within the document are followed; files and URLs are never read. A dangling or circular
 * reference is reported, and the result is undefined.
 */
export function referenceChain(
  source: DocumentSource,
  node: DocumentNode,
): readonly DocumentNode[] | undefined {
  const chain = [node];
  for (let last = node; ; ) {
    const reference = text(member(last, '$ref'));
    if (reference === undefined) return chain;
    const next = follow(source, last, reference);
    if (next === undefined) return undefined;
    if (chain.length === LONGEST_CHAIN || chain.some(({ pointer }) => pointer === next.pointer)) {
      source.report('error', node.pointer, `The reference ${quote(reference)} is circular`);
      return undefined;
    }
    chain.push(next);
    last = next;
  }
}

/** The node, or the target of its `$ref`. */
export function resolve(source: DocumentSource, node: DocumentNode | undefined): DocumentNode | undefined {
  return node === undefined ? undefined : referenceChain(source, node)?.at(-1);
}

function follow(source: DocumentSource, from: DocumentNode, reference: string): DocumentNode | undefined {
  const target = reference.startsWith('#/')
    ? (nodeAt(source.root, decodeFragment(reference.slice(1))) ?? identified(source, from, reference))
    : identified(source, from, reference);
  if (target !== undefined) return target;
  const leads = reference.startsWith('#') ? 'leads to nothing' : 'leaves the document: it is not read';
  source.report('error', from.pointer, `The reference ${quote(reference)} ${leads}`);
  return undefined;
}

/** The target of a reference by `$id` or `$anchor`. */
function identified(
  { root, identifiedSchemas }: DocumentSource,
  from: DocumentNode,
  reference: string,
): DocumentNode | undefined {
  const schemas = identifiedSchemas();
  const [id = '', fragment = ''] = reference.split('#', 2);
  const base = id === '' ? baseAt(root, schemas, from.pointer) : id;
  if (!fragment.startsWith('/')) return schemas.get(fragment === '' ? base : `${base}#${fragment}`);
  const schema = schemas.get(base);
  return schema && nodeAt(schema, decodeFragment(fragment));
}

export function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** A quoted and shortened value for a message. */
export function quote(written: unknown): string {
  const json = JSON.stringify(written) ?? 'nothing';
  return json.length > 80 ? `${json.slice(0, 79)}…` : json;
}

/**
 * The schemas with an `$id` or `$anchor` (JSON Schema 2020-12, 8.2), by reference: `https://example.com/pet`,
 * `https://example.com/pet#tag`, `#tag`.
 */
function identifiedSchemas(root: DocumentNode): ReadonlyMap<string, DocumentNode> {
  const found = new Map<string, DocumentNode>();
  const waiting: WaitingNode[] = [{ node: root, base: '' }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { node } = place;
    const id = text(member(node, '$id'));
    const anchor = text(member(node, '$anchor'));
    const base = id ?? place.base;
    if (id !== undefined) found.set(id, node);
    if (anchor !== undefined) found.set(`${base}#${anchor}`, node);
    for (const inner of partsOf(node)) waiting.push({ node: inner, base });
  }
  return found;
}

interface WaitingNode {
  readonly node: DocumentNode;
  /** The `$id` of the enclosing schema. */
  readonly base: string;
}

/** Members that contain data, which has no identifiers. */
const DATA = /^(?:example|examples|default|const|enum|x-.*)$/;

function partsOf(node: DocumentNode): readonly DocumentNode[] {
  if (Array.isArray(node.value)) return items(node);
  return members(node).flatMap(([name, inner]) => (DATA.test(name) ? [] : [inner]));
}

/** The `$id` of the innermost enclosing schema with one, or an empty text. */
function baseAt(root: DocumentNode, identified: ReadonlyMap<string, DocumentNode>, pointer: string) {
  const above = [...identified].filter(
    ([name, node]) => !name.includes('#') && node !== root && `${pointer}/`.startsWith(`${node.pointer}/`),
  );
  const [innermost] = above.toSorted(([, a], [, b]) => b.pointer.length - a.pointer.length);
  return innermost?.[0] ?? '';
}

/** The URL of a Server Object with its variables replaced (OpenAPI 3.1, section 4.8.5), if any. */
export function serverUrl(server: unknown): string | undefined {
  const url = own(server, 'url');
  if (typeof url !== 'string') return undefined;
  const variables = own(server, 'variables');
  return url.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const variable = own(variables, name);
    return isObject(variable) ? String(own(variable, 'default') ?? whole) : whole;
  });
}

/** Whether the document is an OpenAPI document; otherwise the mistake is reported. */
export function isReadable({ root, report }: DocumentSource): boolean {
  const { value } = root;
  if (typeof value !== 'object' || value === null || text(member(root, 'openapi')) === undefined) {
    report('error', '', 'It is not an OpenAPI document: it has no `openapi` version');
    return false;
  }
  const isFit = isShallow(value);
  if (!isFit) report('error', '', `The document is nested deeper than ${DEEPEST_DOCUMENT} levels`);
  return isFit;
}
