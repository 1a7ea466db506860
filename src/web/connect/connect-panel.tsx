import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ActionButton, Form } from '../controls/inputs.tsx';
import { CopyButton, FreshKey, LifeField } from '../controls/secrets.tsx';
import type { Permission } from '../service/access.ts';
import { API_KEYS, createApiKey } from '../service/api-keys.ts';
import type { Connection } from '../service/landing.ts';
import { useSession } from '../service/session.ts';
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

interface ConnectPanelProps {
  readonly entitySet: string;
  readonly connection: Connection;
}

/** Explains how programs read an entity set: its URL, an API key, and settings for each program. */
export function ConnectPanel({ entitySet, connection }: ConnectPanelProps) {
  const { data: session } = useSession();
  const [key, setKey] = useState<string>();
  const [name, setName] = useState(PROGRAMS[0]?.name);
  const program = PROGRAMS.find((each) => each.name === name);
  const target: Target = {
    gateway: document.baseURI,
    entitySet,
    key: session?.kind === 'open' ? undefined : (key ?? 'YOUR_KEY'),
    query: connection.query,
  };
  const address = setAddress(target);
  const { filteredBy = [] } = connection;
  return (
    <div className="card connect">
      <p className="connect-address">
        <code>{address}</code>
        <CopyButton text={address} what="the address" />
      </p>
      {filteredBy.length > 0 && (
        <p className="banner plain">
          This set can only be read with a filter on {filteredBy.join(' and ')}. Add one to the address, such
          as <code>{`?$filter=${filteredBy.map((property) => `${property} eq …`).join(' and ')}`}</code>.
        </p>
      )}
      {session?.kind === 'user' && (
        <ConnectKey
          entitySet={entitySet}
          connection={connection}
          program={name}
          secret={key}
          onMade={setKey}
        />
      )}
      <fieldset className="programs">
        <legend className="visually-hidden">Programs</legend>
        {PROGRAMS.map((each) => (
          <button
            key={each.name}
            type="button"
            aria-pressed={each.name === name}
            onClick={() => setName(each.name)}
          >
            {each.name}
          </button>
        ))}
      </fieldset>
      {program !== undefined && <ProgramCard key={program.name} program={program} target={target} />}
    </div>
  );
}

interface ConnectKeyProps {
  readonly entitySet: string;
  readonly connection: Connection;
  readonly program: string | undefined;
  readonly secret: string | undefined;
  readonly onMade: (secret: string) => void;
}

const VIEW: readonly Permission[] = ['View'];
const LIFE_DAYS = 90;

/** Creates a key that can only read the entity set. */
function ConnectKey({ entitySet, connection, program, secret, onMade }: ConnectKeyProps) {
  const client = useQueryClient();
  const [days, setDays] = useState<number | undefined>(LIFE_DAYS);
  const { entitySets } = connection;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      createApiKey({
        name: [program, entitySet].filter(Boolean).join(': ').slice(0, 100),
        expiresInDays: days,
        scope: Object.fromEntries(entitySets.map((name) => [name, VIEW])),
      }),
    onSuccess: (made) => {
      onMade(made);
      return client.invalidateQueries({ queryKey: API_KEYS });
    },
  });
  if (secret !== undefined) return <FreshKey secret={secret} />;
  return (
    <Form className="connect-key" submit={mutate} error={error} aria-label="API key">
      <LifeField days={days} onChange={setDays} />
      <ActionButton label="Create a key" doing="Creating …" isPending={isPending} />
      <p className="hint">The key can read {entitySets.join(' and ')} and do nothing else.</p>
    </Form>
  );
}

interface ProgramCardProps {
  readonly program: Program;
  readonly target: Target;
}

/** The settings of a program, and instructions. */
function ProgramCard({ program, target }: ProgramCardProps) {
  const { name, caption, file, steps } = program;
  const text = program.text(target);
  return (
    <section className="program" aria-label={name}>
      {steps?.(target)}
      <div className="program-head">
        <p className="program-caption">{caption}</p>
        {file !== undefined && (
          <SaveButton file={`${target.entitySet}.${file.type}`} text={file.text(target)} />
        )}
        <CopyButton text={text} what={`the text for ${name}`} />
      </div>
      <pre className="program-text">{text}</pre>
    </section>
  );
}

function SaveButton({ file, text }: { readonly file: string; readonly text: string }) {
  return (
    <button type="button" onClick={() => save(file, text)}>
      Save {file}
    </button>
  );
}

/** Downloads a text as a file. */
function save(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  URL.revokeObjectURL(url);
}

/** A program with its settings. */
interface Program {
  readonly name: string;
  /** Instructions for the text. */
  readonly steps?: (target: Target) => ReactNode;
  readonly text: (target: Target) => string;
  /** The title of the text. */
  readonly caption: string;
  /** A file for the program, and its extension. */
  readonly file?: { readonly type: string; readonly text: (target: Target) => string };
}

const PROGRAMS: readonly Program[] = [
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

/** The credentials dialog of Microsoft's programs. */
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
