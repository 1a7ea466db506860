import type { Documentation } from '../../model/edm.ts';
import {
  type DocumentNode,
  isTrue,
  items,
  member,
  prose,
  text,
} from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { componentName, keyword, type Schema } from '../../openapi/schemas/schema.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';

/** Maximum number of characters of a label, an example or a URL; longer ones are left out. */
const LONGEST = 500;
/** Maximum number of examples of a property. */
const MOST_EXAMPLES = 3;

/**
 * The label, the examples and the further documentation of a property. A title of the component that it refers to is the
 * label of the type, not of the property.
 */
export function propertyDocumentation(
  source: DocumentSource,
  schema: Schema,
): Documentation & { hidden?: true } {
  const own = ownLayers(schema);
  const ui = own.flatMap((layer) => member(member(layer, 'x-odata'), 'ui') ?? [])[0];
  if (ui !== undefined) markUsed(source, schema, ['ui']);
  const isSecret = isTrue(keyword(schema, 'writeOnly')) || text(keyword(schema, 'format')) === 'password';
  return {
    ...labelled(member(ui, 'label'), firstMember(own, 'title')),
    ...(!isSecret && examplesOf(own)),
    ...furtherDocumentation(firstMember(own, 'externalDocs')),
    ...(isTrue(member(ui, 'hidden')) && { hidden: true }),
  };
}

/** The layers at the place of use, if the schema refers to a component; else all of them. */
function ownLayers(schema: Schema): readonly DocumentNode[] {
  if (componentName(schema) === undefined) return schema.layers;
  const end = schema.layers.findIndex(({ pointer }) => pointer === schema.identity);
  return end < 0 ? schema.layers : schema.layers.slice(0, end);
}

function firstMember(layers: readonly DocumentNode[], name: string): DocumentNode | undefined {
  return layers.flatMap((layer) => member(layer, name) ?? [])[0];
}

/** The first of the texts that is a label. */
export function labelled(...choice: readonly (DocumentNode | undefined)[]): Pick<Documentation, 'label'> {
  const labels = choice.map((node) => prose(node)?.trim());
  const label = labels.find((each) => each !== undefined && each.length <= LONGEST);
  return label === undefined ? {} : { label };
}

function examplesOf(layers: readonly DocumentNode[]): Pick<Documentation, 'examples'> {
  const values = [firstMember(layers, 'example'), ...items(firstMember(layers, 'examples'))];
  const examples = [...new Set(values.flatMap((node) => exampleValue(node?.value) ?? []))];
  return examples.length === 0 ? {} : { examples: examples.slice(0, MOST_EXAMPLES) };
}

function exampleValue(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return value.length <= LONGEST ? value : undefined;
  return typeof value === 'boolean' || Number.isFinite(value) ? (value as number | boolean) : undefined;
}

/** The URL of `externalDocs`, if a browser can open it. */
export function furtherDocumentation(
  externalDocs: DocumentNode | undefined,
): Pick<Documentation, 'documentation'> {
  const url = text(member(externalDocs, 'url')) ?? '';
  const isAddress = /^https?:\/\//i.test(url) && url.length <= LONGEST && URL.canParse(url);
  return isAddress ? { documentation: new URL(url).href } : {};
}
