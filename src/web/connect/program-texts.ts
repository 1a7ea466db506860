/** The data for the texts of programs. */
export interface Target {
  /** The URL of the gateway with a trailing slash. */
  readonly gateway: string;
  readonly entitySet: string;
  /** Undefined if no credential is required. */
  readonly key: string | undefined;
  /** The first entities of the set, in GraphQL. */
  readonly query: string | undefined;
}

export function setAddress({ gateway, entitySet }: Target): string {
  return `${gateway}odata/${encodeURIComponent(entitySet)}`;
}

/** A query in the language M for Power Query's editor. Contains no key, because workbooks are shared. */
export function powerQueryText(target: Target): string {
  return `let
  Source = OData.Feed(${mText(setAddress(target))}, null, [Implementation = "2.0"])
in
  Source`;
}

/** A file for Power BI Desktop. */
export function powerBiText(target: Target): string {
  const details = { protocol: 'odata', address: { url: setAddress(target) } };
  return json({ version: '0.1', connections: [{ details, options: {}, mode: 'Import' }] });
}

/** For the `manifest.json` of a UI5 app. */
export function ui5Text({ gateway }: Target): string {
  const dataSource = { uri: `${gateway}odata/`, type: 'OData', settings: { odataVersion: '4.0' } };
  const model = { dataSource: 'main', settings: { operationMode: 'Server', autoExpandSelect: true } };
  return json({ 'sap.app': { dataSources: { main: dataSource } }, 'sap.ui5': { models: { '': model } } });
}

export function curlText(target: Target): string {
  return ['curl', ...keyField(target), shellText(`${setAddress(target)}?$top=5`)].join(' ');
}

export function graphQLText(target: Target): string {
  const body = JSON.stringify({ query: target.query ?? '{ __typename }' });
  const fields = [...keyField(target), '-H', shellText('Content-Type: application/json')];
  return `curl ${fields.join(' ')} \\
  -d ${shellText(body)} \\
  ${shellText(`${target.gateway}graphql`)}`;
}

export function pythonText(target: Target): string {
  const headers = target.key === undefined ? '{}' : `{"X-API-Key": ${JSON.stringify(target.key)}}`;
  return `import pandas
import requests

headers = ${headers}
rows, url = [], ${JSON.stringify(setAddress(target))}
while url:
    answer = requests.get(url, headers=headers, timeout=60)
    answer.raise_for_status()
    page = answer.json()
    rows += page["value"]
    url = page.get("@odata.nextLink")

print(pandas.DataFrame(rows))`;
}

export function javaScriptText(target: Target): string {
  const address = scriptText(`${setAddress(target)}?$top=5`);
  const options = target.key === undefined ? '' : `, { headers: { 'X-API-Key': ${scriptText(target.key)} } }`;
  return `const answer = await fetch(${address}${options});
if (!answer.ok) throw new Error(await answer.text());
const { value } = await answer.json();
console.log(value);`;
}

function keyField({ key }: Target): readonly string[] {
  return key === undefined ? [] : ['-H', shellText(`X-API-Key: ${key}`)];
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}

/** In single quotes, a shell interprets only the quote itself. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function scriptText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A text literal of M, with doubled quotes and an escaped `#(`. */
function mText(text: string): string {
  return `"${text.replaceAll('#(', '#(#)(').replaceAll('"', '""')}"`;
}
