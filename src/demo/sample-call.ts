/** A shell command that demonstrates a feature. */
export interface SampleCall {
  readonly shows: string;
  /** With `{url}` in place of the gateway's. */
  readonly line: string;
}

/** A body that is written as JSON; a text is JSON already. */
type Body = object | string;

export function get(shows: string, target: string): SampleCall {
  return { shows, line: `curl '{url}${encode(target)}'` };
}

export function post(shows: string, target: string, body: Body): SampleCall {
  return send('POST', shows, target, body);
}

/** Sends JSON; curl's default method with a body is POST. */
export function send(
  method: 'POST' | 'PUT' | 'PATCH',
  shows: string,
  target: string,
  body: Body,
): SampleCall {
  const option = method === 'POST' ? '' : ` -X ${method}`;
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  const quoted = json.replaceAll("'", String.raw`'\''`);
  const line = `curl${option} -H 'Content-Type: application/json' -d '${quoted}' '{url}${encode(target)}'`;
  return { shows, line };
}

export function remove(shows: string, target: string): SampleCall {
  return { shows, line: `curl -X DELETE '{url}${encode(target)}'` };
}

/** Adds a preference to a call (RFC 7240). */
export function preferring(preference: string, { shows, line }: SampleCall): SampleCall {
  return { shows, line: line.replace('curl', `curl -H 'Prefer: ${preference}'`) };
}

/** Makes a call conditional on an entity tag (RFC 9110, 13.1.1). */
export function matching(tag: string, { shows, line }: SampleCall): SampleCall {
  return { shows, line: line.replace('curl', `curl -H 'If-Match: ${tag}'`) };
}

export function query(shows: string, text: string): SampleCall {
  return post(shows, '/graphql', { query: text });
}

/** Encodes spaces and characters that a shell or curl would interpret. */
function encode(target: string): string {
  return target.replace(
    /[ '"{}[\]]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
