/** The kinds of objects in a document that may contain references (OpenAPI 3.1, 4.8). */
export type Kind =
  | 'root'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'response'
  | 'requestBody'
  | 'header'
  | 'mediaType'
  | 'encoding'
  | 'example'
  | 'link'
  | 'callback'
  | 'calledPathItem'
  | 'securityScheme'
  | 'schema'
  /** An object of another kind, whose parts may be in other files nevertheless. */
  | 'other'
  /** A value in which nothing is a reference. */
  | 'data'
  | `map of ${string}`;

/** The sections of the components that objects of a kind belong to; others are put in the place of their references. */
const SECTIONS: ReadonlyMap<Kind, string> = new Map<Kind, string>([
  ['parameter', 'parameters'],
  ['response', 'responses'],
  ['requestBody', 'requestBodies'],
  ['header', 'headers'],
  ['example', 'examples'],
  ['link', 'links'],
  ['callback', 'callbacks'],
  ['calledPathItem', 'pathItems'],
  ['securityScheme', 'securitySchemes'],
  ['schema', 'schemas'],
]);

export function sectionOf(kind: Kind): string | undefined {
  return SECTIONS.get(kind);
}

const SCHEMA_MEMBERS: Readonly<Record<string, Kind>> = {
  properties: 'map of schema',
  patternProperties: 'map of schema',
  dependentSchemas: 'map of schema',
  $defs: 'map of schema',
  definitions: 'map of schema',
  items: 'schema',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  unevaluatedItems: 'schema',
  propertyNames: 'schema',
  contains: 'schema',
  contentSchema: 'schema',
  not: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
  then: 'schema',
  else: 'schema',
  allOf: 'map of schema',
  anyOf: 'map of schema',
  oneOf: 'map of schema',
  prefixItems: 'map of schema',
};

/** The members of each kind that are not of the kind `other`. Lists count as maps. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  root: {
    paths: 'map of pathItem',
    webhooks: 'map of pathItem',
    components: 'components',
    definitions: 'map of schema',
    parameters: 'map of parameter',
    responses: 'map of response',
  },
  components: {
    schemas: 'map of schema',
    responses: 'map of response',
    parameters: 'map of parameter',
    examples: 'map of example',
    requestBodies: 'map of requestBody',
    headers: 'map of header',
    securitySchemes: 'map of securityScheme',
    links: 'map of link',
    callbacks: 'map of callback',
    pathItems: 'map of calledPathItem',
  },
  pathItem: { parameters: 'map of parameter', servers: 'other', summary: 'data', description: 'data' },
  operation: {
    parameters: 'map of parameter',
    requestBody: 'requestBody',
    responses: 'map of response',
    callbacks: 'map of callback',
  },
  parameter: { schema: 'schema', items: 'schema', content: 'map of mediaType', examples: 'map of example' },
  header: { schema: 'schema', content: 'map of mediaType', examples: 'map of example' },
  response: {
    schema: 'schema',
    content: 'map of mediaType',
    headers: 'map of header',
    links: 'map of link',
    examples: 'data',
  },
  requestBody: { content: 'map of mediaType' },
  mediaType: {
    schema: 'schema',
    itemSchema: 'schema',
    examples: 'map of example',
    encoding: 'map of encoding',
  },
  encoding: { headers: 'map of header' },
  schema: SCHEMA_MEMBERS,
};

/** Members that contain data in objects of any kind. */
const DATA = /^(?:example|default|const|enum|mapping|required|value|x-.*)$/;

/** The kind of a member of an object of that kind; `name` is undefined for an item of a list. */
export function kindBelow(kind: Kind, name: string | undefined, key: string): Kind {
  if (kind.startsWith('map of ')) return kind.slice('map of '.length) as Kind;
  if (kind === 'callback') return 'calledPathItem';
  if (name === undefined) return kind === 'schema' ? 'schema' : 'other';
  const known = MEMBERS[kind === 'calledPathItem' ? 'pathItem' : kind];
  if (known !== undefined && Object.hasOwn(known, key)) return known[key] ?? 'other';
  if (DATA.test(key) || (kind === 'schema' && key === 'examples')) return 'data';
  return kind === 'pathItem' || kind === 'calledPathItem' ? 'operation' : 'other';
}
