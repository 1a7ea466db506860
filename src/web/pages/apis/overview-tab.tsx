import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { standardPath } from '../../screens/standard-screens.ts';
import { apiAddress, screenAddress } from '../../service/addresses.ts';
import { gatewayUrl } from '../../service/base.ts';
import type { Api } from '../../service/registry.ts';
import { describeProblems, quantity } from './api-state.tsx';
import { CredentialsReport } from './credentials-report.tsx';

/** What an API is, and where it is served. */
export function OverviewTab({ api }: { readonly api: Api }) {
  const { name, title, version, openapi, description, serviceUrl, file, operations, refusal } = api;
  return (
    <dl className="card facts">
      {refusal !== null && (
        <Fact label="Not served">
          <span role="alert">The files have changed, and an earlier state of them is served. {refusal}</span>
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
    </dl>
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

/** They lead to where they are served, while they are. */
function EntitySets({ api: { entitySets, state } }: { readonly api: Api }) {
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
