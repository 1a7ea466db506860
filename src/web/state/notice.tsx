import type { ReactNode } from 'react';

interface NoticeProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly isAlert?: boolean;
}

/** Stands where there is nothing to show, and says why. */
export function Notice({ title, children, isAlert = false }: NoticeProps) {
  return (
    <div className="notice" role={isAlert ? 'alert' : undefined}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
