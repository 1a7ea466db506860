import { Component, type ReactNode } from 'react';
import { Notice } from './notice.tsx';

interface FailureBoundaryProps {
  readonly children: ReactNode;
}

/** Stands in for a page that cannot be drawn; what is around it stays. React has no other way than a class. */
export class FailureBoundary extends Component<FailureBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Notice title="This page cannot be shown" isAlert>
        <p>
          Something in the screens went wrong. Load the page again; if it stays so, tell whoever runs this.
        </p>
        <button type="button" onClick={() => window.location.reload()}>
          Load again
        </button>
      </Notice>
    );
  }
}
