import { type ReactNode, useEffect, useRef } from 'react';
import { Link, NavigationType, useNavigationType } from 'react-router';

interface PageProps {
  readonly title: string;
  /** Shown above the title: the parent page. */
  readonly above?: ReactNode;
  /** Links beside the title. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its title; after following a link, scroll position and focus start at its top. */
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

/** Links to the parent page. */
export function ParentLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <nav className="parent" aria-label="Breadcrumb">
      <Link to={to} className="parent-link">
        {children}
      </Link>
    </nav>
  );
}
