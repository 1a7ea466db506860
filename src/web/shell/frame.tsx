import { type ReactNode, useRef } from 'react';
import { Link, NavLink } from 'react-router';
import { isUsable, SCREENS_IN_NAVIGATION } from '../screens/screens.ts';
import { ACCOUNT, APIS, AUDIT, SIGN_IN, screenAddress, USERS } from '../service/addresses.ts';
import { mayRegister } from '../service/registry.ts';
import { isAdministrator, type Session, useSession } from '../service/session.ts';
import { useMetadata } from '../service/use-metadata.ts';

/** The frame around all pages. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header className="top">
        <div className="top-row">
          <Link to="/" className="brand">
            <Logo />
            <span className="brand-name">Duogate</span>
          </Link>
          <Navigation />
          <Who />
        </div>
      </header>
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** The screens whose entity set the user may see (all until that is known), and those for administrators. */
function Navigation() {
  const { data: session } = useSession();
  const { data: metadata } = useMetadata();
  const screens = SCREENS_IN_NAVIGATION.filter(
    (screen) => metadata === undefined || isUsable(screen, metadata),
  );
  return (
    <nav aria-label="Screens">
      {screens.map(({ path, title }) => (
        <NavLink key={path} to={screenAddress(path)} className="top-link">
          {title}
        </NavLink>
      ))}
      {mayRegister(session) && (
        <NavLink to={APIS} className="top-link">
          APIs
        </NavLink>
      )}
      {isAdministrator(session) && (
        <NavLink to={USERS} className="top-link">
          Users
        </NavLink>
      )}
      {isAdministrator(session) && (
        <NavLink to={AUDIT} className="top-link">
          Audit
        </NavLink>
      )}
    </nav>
  );
}

function Who() {
  const { data: session } = useSession();
  return <div className="who">{session !== undefined && <WhoLink session={session} />}</div>;
}

function WhoLink({ session }: { readonly session: Session }) {
  switch (session.kind) {
    case 'open':
      return (
        <span
          className="badge"
          title="The gateway runs without accounts (AUTH=off): everyone can do everything."
        >
          Open access
        </span>
      );
    case 'anonymous':
      return (
        <Link to={SIGN_IN} className="top-link">
          Sign in
        </Link>
      );
    case 'user':
      return (
        <Link to={ACCOUNT} className="top-link">
          {session.name}
        </Link>
      );
  }
}

/** Two gates, one behind the other. */
function Logo() {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path className="gate-one" d="M4 27V14a7 7 0 0 1 14 0v13" />
      <path className="gate-two" d="M14 27V14a7 7 0 0 1 14 0v13" />
    </svg>
  );
}
