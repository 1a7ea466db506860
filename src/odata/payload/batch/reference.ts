import { jsonTokens } from '../../../engine/input/json-tokens.ts';

/** Names with a dollar sign that are of the service itself, whatever ids a batch has (Part 1, 11.7.4). */
const SYSTEM = new Set(['$all', '$batch', '$crossjoin', '$entity', '$id', '$metadata', '$root']);

/** The id of the request whose entity a URL leads on from, as in `$1/Items` (Part 1, 11.7.4). */
export function referencedId(url: string): string | undefined {
  const [, sign = '', id] = /^\/?(\$([^/?#]+))/.exec(url) ?? [];
  return SYSTEM.has(sign) ? undefined : id;
}

/** The URL with that in the place of the reference. */
export function resolveReference(url: string, target: string): string {
  return url.replace(/^\/?\$[^/?#]+/, () => target);
}

/** Members whose values are URLs of entities (JSON Format, 8.5 and 14). */
const URL_MEMBER = /@(?:odata\.)?(?:bind|id)"$/;

/** JSON whose URLs of entities have what `resolve` gives for them; all else stays as it was written. */
export function resolveBodyReferences(json: string, resolve: (url: string) => string | undefined): string {
  if (!json.includes('"$')) return json;
  const pieces: string[] = [];
  let done = 0;
  let word = '';
  let member = '';
  for (const { text, at } of jsonTokens(json)) {
    if (text === ':') member = word;
    else if (text === '{') member = '';
    else if (text.startsWith('"')) word = text;
    if (!text.startsWith('"$') || !URL_MEMBER.test(member)) continue;
    const resolved = resolve(JSON.parse(text));
    if (resolved === undefined) continue;
    pieces.push(json.slice(done, at), JSON.stringify(resolved));
    done = at + text.length;
  }
  return pieces.join('') + json.slice(done);
}
