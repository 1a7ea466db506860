import { GroupField } from './group-field.tsx';
import type { InputFieldProps } from './input-field.tsx';

/**
 * Members of an enumeration of which several may be set; their text has commas between them.
 *
 * The member that says that none is set stands apart, and is chosen instead of all others.
 */
export function FlagsField({ property, text, problem, onChange }: InputFieldProps) {
  const { type } = property;
  if (type.kind !== 'enum') return null;
  const { members, none } = type;
  const set = new Set(text.split(',').filter((name) => name !== '' && name !== none));
  const toggle = (member: string): void => {
    if (!set.delete(member)) set.add(member);
    onChange(members.filter((name) => set.has(name)).join(','));
  };
  return (
    <GroupField property={property} problem={problem}>
      <div className="checks">
        {members
          .filter((member) => member !== none)
          .map((member) => (
            <Check key={member} name={member} isSet={set.has(member)} onToggle={() => toggle(member)} />
          ))}
        {none !== undefined && <span className="hint">or</span>}
        {none !== undefined && (
          <Check name={none} isSet={text === none} onToggle={() => onChange(text === none ? '' : none)} />
        )}
      </div>
    </GroupField>
  );
}

interface CheckProps {
  readonly name: string;
  readonly isSet: boolean;
  readonly onToggle: () => void;
}

function Check({ name, isSet, onToggle }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isSet} onChange={onToggle} />
      {name}
    </label>
  );
}
