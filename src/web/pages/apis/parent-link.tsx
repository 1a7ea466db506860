import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** Leads to the page that this one belongs to. */
export function ParentLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <nav className="parent" aria-label="Breadcrumb">
      <Link to={to} className="parent-link">
        {children}
      </Link>
    </nav>
  );
}
