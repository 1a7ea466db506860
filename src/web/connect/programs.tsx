import type { ReactNode } from 'react';
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
  /** The text is a file of that name's end. */
  readonly fileType?: string;
}

export const PROGRAMS: readonly Program[] = [
  {
    name: 'Excel',
    steps: (target) => (
      <ol>
        <li>
          Choose <b>Data</b>, <b>Get Data</b>, <b>From Other Sources</b>, <b>From OData Feed</b>, and paste
          the address; or choose <b>Blank Query</b> there, open its <b>Advanced Editor</b>, and paste the
          query.
        </li>
        <li>{signIn(target)}</li>
        <li>
          Choose <b>Load</b>. <b>Data</b>, <b>Refresh All</b> reads the data anew.
        </li>
      </ol>
    ),
    text: powerQueryText,
    caption: 'Query',
  },
  {
    name: 'Power BI',
    steps: (target) => (
      <ol>
        <li>Save the file, and open it with Power BI Desktop.</li>
        <li>{signIn(target)}</li>
        <li>
          Choose <b>Load</b>. Where the report is published, enter the same under{' '}
          <b>Data source credentials</b>.
        </li>
      </ol>
    ),
    text: powerBiText,
    caption: 'Connection file',
    fileType: 'pbids',
  },
  {
    name: 'SAP UI5',
    steps: ({ entitySet, key }) => (
      <ol>
        <li>
          Put this into the app's <code>manifest.json</code>, and bind a list to{' '}
          <code>{`{/${entitySet}}`}</code>.
        </li>
        {key !== undefined && (
          <li>
            Everybody can read what is in an app: give the key to the destination or the proxy in front of it
            (Basic, any user name, the key as the password), and make <code>uri</code> the path that leads
            there.
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
        It needs <code>pip install pandas requests</code>.
      </p>
    ),
    text: pythonText,
    caption: 'Python',
  },
  {
    name: 'JavaScript',
    steps: () => <p>For Node and the like: everybody can read what is in a page.</p>,
    text: javaScriptText,
    caption: 'Module',
  },
  {
    name: 'GraphQL',
    steps: ({ gateway }) => (
      <p>
        The same data; <a href={`${gateway}graphql`}>GraphiQL</a> helps to write queries.
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
        When asked how to sign in, choose <b>Anonymous</b>.
      </>
    );
  }
  return (
    <>
      When asked how to sign in, choose <b>Basic</b> for <code>{setAddress(target)}</code>: any user name, and
      the key as the password.
    </>
  );
}
