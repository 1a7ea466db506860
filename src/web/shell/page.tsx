import { type ReactNode, useEffect, useRef } from 'react';
import { Link, NavigationType, useNavigationType } from 'react-router';

interface PageProps {
  readonly title: string;
  /** Where the page belongs, above the title. */
  readonly above?: ReactNode;
  /** Links beside the title. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its title; whoever comes by a link begins at its top, with the keyboard too. */
export function Page({ title, above, beside, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const comesByLink = useNavigationType() === NavigationType.Push;
  useEffect(() => {
    document.title = `${title} – Duogate`;
  }, [title]);
  useEffect(() => {
    if (!comesByLink) return;
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [comesByLink]);
  return (
    <>
      {above}
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {beside}
      </div>
      {children}
    </>
  );
}

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
