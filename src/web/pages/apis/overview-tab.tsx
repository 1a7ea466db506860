import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { quantity } from '../../controls/quantity.ts';
import { apiAddress, screenAddress, standardPath } from '../../service/addresses.ts';
import type { ApiDetail, CredentialsSummary, SchemeSummary } from '../../service/registry.ts';
import { gatewayUrl } from '../../service/request.ts';
import { describeProblems } from './api-state.tsx';
import { useUsage } from './use-api.ts';
import { describeSilence } from './validation-report.tsx';

/** The description of an API and its URLs. */
export function OverviewTab({ api }: { readonly api: ApiDetail }) {
  const { name, title, version, openapi, description, serviceUrl, file, operations, refusal, disabled } = api;
  return (
    <dl className="card facts">
      {disabled !== null && (
        <Fact label="Turned off">
          <span role="alert">
            {[`Nothing is sent to the API.`, disabled.reason, disabled.by !== null && `By ${disabled.by}.`]
              .filter(Boolean)
              .join(' ')}
          </span>
        </Fact>
      )}
      {refusal !== null && (
        <Fact label="Not served">
          <span role="alert" className="refusal">
            The files have changed, and an earlier state of them is served. {refusal}
          </span>
        </Fact>
      )}
      <Fact label="Title">{[title, version].filter((part) => part !== '').join(' · ')}</Fact>
      <Fact label="Description">{description}</Fact>
      <Fact label="Service URL">
        <code>{serviceUrl}</code>
      </Fact>
      <Fact label="File">
        <code>{file}</code>, OpenAPI {openapi}
      </Fact>
      <Fact label="Validation">
        <Link to={apiAddress(name, 'settings')}>{describeProblems(api)}</Link>
      </Fact>
      <Fact label="Operations">
        <Link to={apiAddress(name, 'operations')}>{quantity(operations, 'operation')}</Link>
      </Fact>
      {api.credentials !== null && (
        <Fact label="Credentials">
          <CredentialsReport credentials={api.credentials} />
        </Fact>
      )}
      <Fact label="Entity sets">
        <EntitySets api={api} />
      </Fact>
      {api.model.lists.silent !== undefined && (
        <Fact label="Not described">
          <Link to={apiAddress(name, 'learn')}>{describeSilence(api.model.lists.silent)}</Link>
        </Fact>
      )}
      <Usage name={name} />
    </dl>
  );
}

/** The calls of the API today by entity set, and its limits; nothing until there are some. */
function Usage({ name }: { readonly name: string }) {
  const { data: { sets, limits } = { sets: [], limits: [] } } = useUsage(name);
  return (
    <>
      {sets.length > 0 && (
        <Fact label="Calls today">
          <ul className="served-sets">
            {sets.map(({ name: set, calls, kept }) => (
              <li key={set}>
                {set}: {calls.toLocaleString()}
                {kept > 0 &&
                  `, ${Math.round((100 * kept) / (calls + kept))} % of the reads from kept answers`}
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {limits.length > 0 && (
        <Fact label="Limits">
          <ul className="served-sets">
            {limits.map(({ limit, left, resetSeconds }) => (
              <li key={`${limit} ${resetSeconds}`}>
                {left.toLocaleString()}
                {limit !== null && ` of ${limit.toLocaleString()}`} calls left for {resetSeconds} s
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children === '' ? '–' : children}</dd>
    </>
  );
}

/** Links to the entity sets while they are served. */
function EntitySets({ api: { entitySets, state } }: { readonly api: ApiDetail }) {
  if (entitySets.length === 0) return 'None';
  if (state !== 'live' && state !== 'ungranted') return entitySets.join(', ');
  return (
    <ul className="served-sets">
      {entitySets.map((name) => (
        <li key={name}>
          <Link to={screenAddress(standardPath(name))}>{name}</Link>{' '}
          <a href={gatewayUrl(`odata/${name}`)} className="hint">
            OData
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The credentials that operations require, and whether they are configured. */
function CredentialsReport({ credentials }: { readonly credentials: CredentialsSummary }) {
  const { asking, unmet, schemes } = credentials;
  if (asking === 0) return 'No operation needs one.';
  return (
    <>
      {unmet > 0 ? (
        <span role="alert">
          {unmet === 1 ? '1 operation is' : `${unmet.toLocaleString()} operations are`} sent without the
          required credential.
        </span>
      ) : (
        `Provided for ${asking === 1 ? 'the one operation that needs' : `all ${asking} operations that need`} one.`
      )}
      <ul className="told-changes">
        {schemes.map((scheme) => (
          <li key={scheme.name}>
            {scheme.name}: {scheme.asksFor}, for {quantity(scheme.operations, 'operation')}{' '}
            <span className={scheme.isGiven ? 'mark view' : 'mark'}>
              {scheme.isGiven ? 'provided' : 'not provided'}
            </span>
            {!scheme.isGiven && <Advice scheme={scheme} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Advice({ scheme: { setting } }: { readonly scheme: SchemeSummary }) {
  if (setting === null) return <p className="hint">Set in credentials.yaml beside the project file.</p>;
  return (
    <p className="hint">
      In the project file, under {setting.section}:{' '}
      <code>
        {setting.name}: "{setting.value}"
      </code>
    </p>
  );
}
