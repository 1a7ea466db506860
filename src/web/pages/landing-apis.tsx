import { Link } from 'react-router';
import type { ServedApi } from '../service/landing.ts';

/** The APIs that are served; they lead to their pages whoever may see those. */
export function LandingApis({ apis }: { readonly apis: readonly ServedApi[] }) {
  return (
    <section aria-labelledby="apis">
      <h2 id="apis">APIs</h2>
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
    </section>
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
