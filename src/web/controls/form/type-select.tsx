import { useId } from 'react';
import type { StructuredType } from '../../service/metadata.ts';

interface TypeSelectProps {
  readonly type: StructuredType;
  readonly chosen: StructuredType | undefined;
  readonly problem: string | undefined;
  readonly onChange: (type: StructuredType | undefined) => void;
}

/** Chooses the type that a value is of: the declared one, unless it is abstract, or one that derives from it. */
export function TypeSelect({ type, chosen, problem, onChange }: TypeSelectProps) {
  const id = useId();
  const choices = [type, ...type.derived].filter(({ isAbstract }) => !isAbstract);
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        Type
        {type.isAbstract && <span className="required"> (required)</span>}
      </label>
      <select
        id={id}
        value={chosen?.name ?? ''}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && `${id}-problem`}
        onChange={({ target }) => onChange(choices.find(({ name }) => name === target.value))}
      >
        {type.isAbstract && <option value="">Choose …</option>}
        {choices.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      {problem !== undefined && (
        <p className="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}
