import { type ReactNode, useId } from 'react';
import type { Property } from '../../service/metadata.ts';

interface GroupFieldProps {
  readonly property: Property;
  readonly problem: string | undefined;
  readonly children: ReactNode;
}

/** Inputs that belong together, with what they are for and what is wrong with all of them. */
export function GroupField({ property, problem, children }: GroupFieldProps) {
  const id = useId();
  const { label, description } = property;
  return (
    <fieldset aria-describedby={description && `${id}-hint`}>
      <legend>{label}</legend>
      {description !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {description}
        </p>
      )}
      {problem !== undefined && (
        <p className="problem" tabIndex={-1}>
          {problem}
        </p>
      )}
      {children}
    </fieldset>
  );
}
