/** A JSON Schema. */
type Schema = Readonly<Record<string, unknown>>;

/** A way in which an entity can stand in the JSON of another one. */
export interface Place {
  readonly schema: Schema;
  readonly value: (make: (type: string) => object) => unknown;
  /** Components that the schema refers to. */
  readonly components?: Readonly<Record<string, Schema>>;
}

export const one = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const SECRET = one('Secret');
const RIVAL = one('Rival');
const text = { type: 'string' };

export const many = (items: Schema): Schema => ({ type: 'array', items });
export const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
});
const dictionary = (of: Schema): Schema => ({ type: 'object', additionalProperties: of });

/** By the upstream's name of the property. */
export const PLACES: Readonly<Record<string, Place>> = {
  direct: { schema: SECRET, value: (make) => make('Secret') },
  nullable: { schema: { anyOf: [SECRET, { type: 'null' }] }, value: (make) => make('Secret') },
  list: { schema: many(SECRET), value: (make) => [make('Secret'), make('Secret')] },
  lists: { schema: many(many(SECRET)), value: (make) => [[make('Secret')]] },
  union: { schema: { oneOf: [SECRET, RIVAL] }, value: (make) => make('Secret') },
  rivals: { schema: many({ anyOf: [SECRET, RIVAL] }), value: (make) => [make('Secret'), make('Rival')] },
  expandable: { schema: { anyOf: [text, SECRET] }, value: (make) => make('Secret') },
  chosen: {
    schema: one('Chosen'),
    value: (make) => ({ kind: 'ChosenSecret', kept: make('Secret'), either: make('Secret') }),
    components: {
      Chosen: { oneOf: [one('ChosenSecret'), one('ChosenText')], discriminator: { propertyName: 'kind' } },
      ChosenSecret: object({ kind: text, kept: SECRET, either: { anyOf: [SECRET, text] } }),
      ChosenText: object({ kind: text, text }),
    },
  },
  byName: { schema: dictionary(SECRET), value: (make) => ({ first: make('Secret') }) },
  listsByName: { schema: dictionary(many(SECRET)), value: (make) => ({ first: [make('Secret')] }) },
  eitherByName: {
    schema: dictionary({ oneOf: [SECRET, RIVAL] }),
    value: (make) => ({ first: make('Secret'), second: make('Rival') }),
  },
  byPattern: {
    schema: { type: 'object', patternProperties: { '^f': SECRET } },
    value: (make) => ({ first: make('Secret') }),
  },
  tuple: {
    schema: { type: 'array', prefixItems: [SECRET, text] },
    value: (make) => [make('Secret'), 'x'],
  },
  complex: {
    schema: object({ note: text, inner: SECRET, either: { oneOf: [SECRET, RIVAL] } }),
    value: (make) => ({ note: 'n', inner: make('Secret'), either: make('Secret') }),
  },
  complexes: {
    schema: many(object({ note: text, inner: SECRET, byName: dictionary(SECRET) })),
    value: (make) => [{ note: 'n', inner: make('Secret'), byName: { first: make('Secret') } }],
  },
  deep: {
    schema: object({ a: object({ b: many(object({ c: object({ d: { anyOf: [SECRET, text] } }) })) }) }),
    value: (make) => ({ a: { b: [{ c: { d: make('Secret') } }] } }),
  },
  open: {
    schema: { ...object({ note: text }), additionalProperties: SECRET },
    value: (make) => ({ note: 'n', first: make('Secret') }),
  },
  mixture: {
    schema: { anyOf: [object({ note: text, inner: SECRET }), object({ note: text, other: RIVAL })] },
    value: (make) => ({ note: 'n', inner: make('Secret'), other: make('Rival') }),
  },
  refined: {
    schema: { allOf: [SECRET, object({ note: text })] },
    value: (make) => ({ ...make('Secret'), note: 'n' }),
  },
  wrapped: {
    schema: { allOf: [SECRET], description: 'The same, described' },
    value: (make) => make('Secret'),
  },
  between: {
    schema: one('Paged'),
    value: (make) => ({ id: 'p1', kept: make('Secret'), others: [make('Secret')] }),
  },
  betweenWithin: {
    schema: object({ note: text, several: many(one('Paged')) }),
    value: (make) => ({ note: 'n', several: [{ id: 'p1', kept: make('Secret'), others: [make('Secret')] }] }),
  },
  recursive: {
    schema: one('Node'),
    value: (make) => ({
      note: 'n',
      held: make('Secret'),
      next: { note: 'm', held: make('Secret'), next: null },
    }),
    components: { Node: object({ note: text, held: { oneOf: [SECRET, RIVAL] }, next: one('Node') }) },
  },
};
