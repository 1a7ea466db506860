const RESERVED = new Set(['Query', 'Mutation', 'Subscription', 'File']);

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['+', 'PLUS'],
  ['>', 'GREATER_THAN'],
  ['<', 'LESS_THAN'],
  ['=', 'EQUALS'],
  ['&', 'AMPERSAND'],
  ['|', 'PIPE'],
  ['@', 'AT'],
  ['*', 'STAR'],
  ['{', 'LEFT_CURLY_BRACE'],
  ['}', 'RIGHT_CURLY_BRACE'],
  ['[', 'LEFT_SQUARE_BRACE'],
  [']', 'RIGHT_SQUARE_BRACE'],
  [',', 'COMMA'],
  ['%', 'PERCENT'],
  ['$', 'DOLLAR'],
  ['#', 'POUND'],
  ['^', 'CARET'],
  ['~', 'TILDE'],
  ['?', 'QUESTION_MARK'],
  ['!', 'EXCLAMATION_MARK'],
  ['"', 'QUOTATION_MARK'],
  ["'", 'SINGLE_QUOTE'],
  ['\\', 'BACKSLASH'],
  ['`', 'BACKTICK'],
  [';', 'SEMICOLON'],
  ['(', 'LEFT_PARENTHESIS'],
  [')', 'RIGHT_PARENTHESIS'],
]);

/** Most names are one of GraphQL's as they are. */
const PLAIN_NAME = /^(?:[A-Za-z]|_(?!_))\w*$/;

/**
 * The GraphQL name that the mesh makes of a name in the document: of an operation id, a parameter.
 *
 * The rules are those of @graphql-mesh/utils (sanitizeNameForGraphQL), which the names must agree with.
 */
export function meshName(name: string): string {
  if (PLAIN_NAME.test(name) && !RESERVED.has(name)) return name;
  const unbracketed = withoutBrackets(name.trim());
  const started = /^\+?\d/.test(unbracketed)
    ? `_${unbracketed}`
    : unbracketed.replace(/^-(?=\d)/, 'NEGATIVE_');
  const sanitized = Array.from(started, meshCharacter).join('').replace(/^__/, '_0');
  if (sanitized === '') return '_';
  return RESERVED.has(sanitized) ? `${sanitized}_` : sanitized;
}

/** The name without each pair of brackets that has something between. */
function withoutBrackets(name: string): string {
  for (let inner = name; ; ) {
    const outer = inner;
    inner = outer.replace(/\((.+?)\)/, '$1');
    if (inner === outer) return inner;
  }
}

function meshCharacter(character: string): string {
  if (/^\w$/.test(character)) return character;
  if (' -./:'.includes(character)) return '_';
  return `_${CHARACTERS.get(character) ?? character.charCodeAt(0)}_`;
}

/** The name that the mesh gives an operation without an operation id: `posts_by_id`, `delete_posts_by_id`. */
export function meshNameOfPath(method: string, path: string): string {
  const parts = path.replaceAll('{', 'by_').replaceAll('}', '').split('/').filter(Boolean).join('_');
  const name = parts.replace(/^by_/, '');
  if (method === 'get') return meshName(name);
  return meshName(name === '' ? method : `${method}_${name}`);
}
