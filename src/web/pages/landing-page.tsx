import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { ConnectPanel } from '../connect/connect-panel.tsx';
import { SelectField } from '../controls/inputs.tsx';
import { Section } from '../controls/section.tsx';
import { entitySetOf, SCREENS_IN_NAVIGATION } from '../screens/screens.ts';
import { connectAddress, SIGN_IN, screenAddress, standardPath } from '../service/addresses.ts';
import {
  type Landing,
  type LandingLink,
  landingQuery,
  type ServedApi,
  type ServedEntitySet,
} from '../service/landing.ts';
import { gatewayUrl } from '../service/request.ts';
import { useSession } from '../service/session.ts';
import { Page } from '../shell/page.tsx';
import { Loaded } from '../state/loaded.tsx';
import { LoadingRows } from '../state/loading.tsx';

/** The resources that are served for the user. */
export function LandingPage() {
  const landing = useQuery(landingQuery);
  return (
    <Page title={landing.data?.title ?? 'Duogate'}>
      <Loaded query={landing} what="overview of the service" pending={<LoadingRows />}>
        {(told) => <Overview landing={told} />}
      </Loaded>
    </Page>
  );
}

function Overview({ landing }: { readonly landing: Landing }) {
  return (
    <>
      <p className="lead">{landing.description}</p>
      <Section title="Entity sets">
        {landing.entitySets.length === 0 ? <NoEntitySets /> : <EntitySets served={landing.entitySets} />}
      </Section>
      {landing.queries.length > 0 && (
        <Section title="Try a query">
          <QueryRunner queries={landing.queries} />
        </Section>
      )}
      <LandingConnect entitySets={landing.entitySets} />
      {landing.apis.length > 0 && <LandingApis apis={landing.apis} />}
      <Section title="Addresses">
        <ul className="tiles">
          {landing.links.map(({ title, href, description }) => (
            <li key={href}>
              <a href={gatewayUrl(href)} className="tile">
                <span className="tile-title">{title}</span>
                <code className="tile-address">/{href}</code>
                {description !== undefined && <span className="tile-text">{description}</span>}
              </a>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function NoEntitySets() {
  const { data: session } = useSession();
  return session?.kind === 'anonymous' ? (
    <p className="notice">
      <Link to={SIGN_IN}>Sign in</Link> to see what you can use.
    </p>
  ) : (
    <p className="notice">Your role has no access to any of them.</p>
  );
}

function EntitySets({ served }: { readonly served: readonly ServedEntitySet[] }) {
  return (
    <ul className="sets card">
      {served.map((entitySet) => (
        <li key={entitySet.name} className="set">
          <div className="set-name">
            <a href={gatewayUrl(entitySet.href)}>{entitySet.name}</a>
            {entitySet.description !== undefined && <p>{entitySet.description}</p>}
          </div>
          <ul className="marks" aria-label={`Permissions on ${entitySet.name}`}>
            {entitySet.permissions.map((permission) => (
              <li key={permission} className={`mark ${permission.toLowerCase()}`}>
                {permission}
              </li>
            ))}
          </ul>
          {entitySet.connection !== undefined && (
            <Link
              to={connectAddress(entitySet.name)}
              className="button"
              aria-label={`Connect ${entitySet.name}`}
            >
              Connect
            </Link>
          )}
          {entitySet.permissions.includes('View') && <ScreenLink entitySet={entitySet.name} />}
        </li>
      ))}
    </ul>
  );
}

/** The configured or standard screen of the entity set. */
function ScreenLink({ entitySet }: { readonly entitySet: string }) {
  const configured = SCREENS_IN_NAVIGATION.find((screen) => entitySetOf(screen) === entitySet);
  const { path, title } = configured ?? { path: standardPath(entitySet), title: entitySet };
  return (
    <Link to={screenAddress(path)} className="button">
      Open {title}
    </Link>
  );
}

/** The served APIs, linked to their pages if the user may see these. */
function LandingApis({ apis }: { readonly apis: readonly ServedApi[] }) {
  return (
    <Section title="APIs">
      <ul className="tiles">
        {apis.map((api) => (
          <li key={api.name}>
            {api.href === undefined ? (
              <div className="tile still">
                <ApiText api={api} />
              </div>
            ) : (
              <Link to={`/${api.href}`} className="tile">
                <ApiText api={api} />
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function ApiText({ api: { name, title = name, version } }: { readonly api: ServedApi }) {
  const parts = [title === name ? '' : title, version === undefined ? '' : `Version ${version}`];
  return (
    <>
      <span className="tile-title">{name}</span>
      <span className="tile-text">{parts.filter((part) => part !== '').join(' · ')}</span>
    </>
  );
}

/** Explains how programs read an entity set, initially the first. */
function LandingConnect({ entitySets }: { readonly entitySets: readonly ServedEntitySet[] }) {
  const connected = entitySets.filter(({ connection }) => connection !== undefined);
  const [chosen, setChosen] = useState<string>();
  const set = connected.find(({ name }) => name === chosen) ?? connected[0];
  if (set?.connection === undefined) return null;
  return (
    <Section title="Connect a program">
      {connected.length > 1 && (
        <div className="connect-choice">
          <SelectField
            label="Entity set"
            value={set.name}
            choices={connected.map(({ name }) => [name, name])}
            onChange={setChosen}
          />
        </div>
      )}
      <ConnectPanel key={set.name} entitySet={set.name} connection={set.connection} />
    </Section>
  );
}

interface QueryRunnerProps {
  readonly queries: readonly LandingLink[];
}

interface Run {
  readonly href: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly text: string;
}

/** Example queries, with the response to the selected one. */
function QueryRunner({ queries }: QueryRunnerProps) {
  const run = useMutation({ mutationFn: runQuery });
  return (
    <div className="runner card">
      <ul className="queries">
        {queries.map(({ title, href }) => (
          <li key={href}>
            <button type="button" aria-pressed={run.variables === href} onClick={() => run.mutate(href)}>
              <span className="query-title">{title}</span>
              <code className="query-address">{readable(href)}</code>
            </button>
          </li>
        ))}
      </ul>
      <div className="answer" aria-live="polite" aria-busy={run.isPending}>
        {run.data !== undefined && <Answer run={run.data} />}
        {run.isError && <p className="problem">The gateway cannot be reached.</p>}
        {run.isIdle && <p className="hint">Choose a query to see its answer here.</p>}
      </div>
    </div>
  );
}

function Answer({ run }: { readonly run: Run }) {
  return (
    <>
      <p className="answer-head">
        <span className={run.status < 400 ? 'mark view' : 'mark wrong'}>{run.status}</span>
        <span>{run.milliseconds} ms</span>
        <a href={gatewayUrl(run.href)}>Open the address</a>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section className="answer-text" tabIndex={0} aria-label="The answer">
        <pre>{run.text}</pre>
      </section>
    </>
  );
}

async function runQuery(href: string): Promise<Run> {
  const start = performance.now();
  const response = await fetch(gatewayUrl(href), { headers: { Accept: 'application/json' } });
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - start);
  return { href, status: response.status, milliseconds, text: indent(text) };
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function readable(href: string): string {
  return `/${decodeURIComponent(href)}`;
}
