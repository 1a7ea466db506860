import type { ReactNode } from 'react';

interface NoticeProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly isAlert?: boolean;
}

/** Explains why there is nothing to show. */
export function Notice({ title, children, isAlert = false }: NoticeProps) {
  return (
    <div className="notice" role={isAlert ? 'alert' : undefined}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
