/** What the demo says once it serves: where everything is, and lines that work when pasted into a shell. */
export function writeAnnouncement(url: string, upstreamUrl: string): string {
  return `Duogate serves the sample posts API at ${upstreamUrl} to everyone on this machine.

  Start here        ${url}/
  Service document  ${url}/odata
  Metadata          ${url}/odata/$metadata
  A query           ${url}/odata/Post?$filter=contains(Title,%27garden%27)&$orderby=Title
  GraphQL           ${url}/graphql

A list, a filter, a create, and the same data by GraphQL:

  curl '${url}/odata/Post?$top=2'
  curl '${url}/odata/Post?$filter=UserId%20eq%203&$select=Id,Title&$orderby=Title%20desc'
  curl -H 'Content-Type: application/json' -d '{"UserId":1,"Title":"Hello"}' '${url}/odata/Post'
  curl -H 'Content-Type: application/json' -d '{"query":"{ posts { id title } }"}' '${url}/graphql'

Ctrl-C stops it.
`;
}
