import type { ReactNode } from 'react';
import { officeDataConnection } from './office-data-connection.ts';
import {
  curlText,
  graphQLText,
  javaScriptText,
  powerBiText,
  powerQueryText,
  pythonText,
  setAddress,
  type Target,
  ui5Text,
} from './program-texts.ts';

/** A program that reads an entity set, and how it is told to. */
export interface Program {
  readonly name: string;
  /** What is to be done with the text. */
  readonly steps?: (target: Target) => ReactNode;
  readonly text: (target: Target) => string;
  /** What the text is. */
  readonly caption: string;
  /** What the program opens, and the end of its name. */
  readonly file?: { readonly type: string; readonly text: (target: Target) => string };
}

export const PROGRAMS: readonly Program[] = [
  {
    name: 'Excel',
    steps: (target) => (
      <ol>
        <li>
          Save the connection file and open it with Excel. Or, in a workbook, choose <b>Data</b>,{' '}
          <b>Get Data</b>, <b>From Other Sources</b>, <b>From OData Feed</b>, and paste the address.
        </li>
        <li>{signIn(target)}</li>
        <li>
          Choose <b>Load</b>. To update the data later, choose <b>Data</b>, <b>Refresh All</b>.
        </li>
      </ol>
    ),
    text: powerQueryText,
    caption: 'Query, for the Advanced Editor of a Blank Query',
    file: { type: 'odc', text: officeDataConnection },
  },
  {
    name: 'Power BI',
    steps: (target) => (
      <ol>
        <li>Save the file and open it with Power BI Desktop.</li>
        <li>{signIn(target)}</li>
        <li>
          Choose <b>Load</b>. When you publish the report, enter the same credential in the Power BI service,
          under <b>Data source credentials</b>.
        </li>
      </ol>
    ),
    text: powerBiText,
    caption: 'Connection file',
    file: { type: 'pbids', text: powerBiText },
  },
  {
    name: 'SAP UI5',
    steps: ({ entitySet, key }) => (
      <ol>
        <li>
          Add this to the app's <code>manifest.json</code>, and bind a list to{' '}
          <code>{`{/${entitySet}}`}</code>.
        </li>
        {key !== undefined && (
          <li>
            Do not put the key into the app, where anyone can read it. Give it to the destination or the proxy
            in front of the app instead (Basic, any user name, the key as the password), and set{' '}
            <code>uri</code> to the path that leads there.
          </li>
        )}
      </ol>
    ),
    text: ui5Text,
    caption: 'manifest.json',
  },
  { name: 'curl', text: curlText, caption: 'Shell' },
  {
    name: 'Python',
    steps: () => (
      <p>
        Install the libraries first: <code>pip install pandas requests</code>.
      </p>
    ),
    text: pythonText,
    caption: 'Python',
  },
  {
    name: 'JavaScript',
    steps: () => <p>Run this in Node or another server. Anyone could read the key in a web page.</p>,
    text: javaScriptText,
    caption: 'Module',
  },
  {
    name: 'GraphQL',
    steps: ({ gateway }) => (
      <p>
        The same data through GraphQL. <a href={`${gateway}graphql`}>GraphiQL</a> helps you write queries.
      </p>
    ),
    text: graphQLText,
    caption: 'Shell',
  },
];

/** What Microsoft's programs ask for before they read anything. */
function signIn(target: Target): ReactNode {
  if (target.key === undefined) {
    return (
      <>
        When asked to sign in, choose <b>Anonymous</b>.
      </>
    );
  }
  return (
    <>
      When asked to sign in, choose <b>Basic</b> for <code>{setAddress(target)}</code>. Enter any user name,
      and the key as the password.
    </>
  );
}
