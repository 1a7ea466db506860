import type { Credentials, SecurityScheme } from '../../service/registry.ts';
import { quantity } from './api-state.tsx';

/** Which credentials the operations of an API ask for, and whether the project gives them. */
export function CredentialsReport({ credentials }: { readonly credentials: Credentials }) {
  const { asking, unmet, schemes } = credentials;
  if (asking === 0) return 'No operation asks for one.';
  return (
    <>
      {unmet > 0 ? (
        <span role="alert">
          {quantity(unmet, 'operation')} go out without the credential that they ask for.
        </span>
      ) : (
        `Given to all of the ${quantity(asking, 'operation')} that ask for one.`
      )}
      <ul className="told-changes">
        {schemes.map((scheme) => (
          <li key={scheme.name}>
            {scheme.name}: {scheme.asksFor}, for {quantity(scheme.operations, 'operation')}{' '}
            <span className={scheme.isGiven ? 'mark view' : 'mark'}>
              {scheme.isGiven ? 'given' : 'not given'}
            </span>
            {!scheme.isGiven && <Advice scheme={scheme} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Advice({ scheme: { setting } }: { readonly scheme: SecurityScheme }) {
  if (setting === null) return <p className="hint">It stands in credentials.yaml beside the project file.</p>;
  return (
    <p className="hint">
      In the project file, under {setting.section}:{' '}
      <code>
        {setting.name}: "{setting.value}"
      </code>
    </p>
  );
}
