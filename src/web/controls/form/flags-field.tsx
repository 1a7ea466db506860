import { GroupField } from './group-field.tsx';
import type { InputFieldProps } from './input-field.tsx';

/** Members of an enumeration of which several may be set; their text has commas between them. */
export function FlagsField({ property, text, problem, onChange }: InputFieldProps) {
  const { type } = property;
  if (type.kind !== 'enum') return null;
  const set = new Set(text.split(',').filter((name) => name !== ''));
  const toggle = (member: string): void => {
    if (!set.delete(member)) set.add(member);
    onChange(type.members.filter((name) => set.has(name)).join(','));
  };
  return (
    <GroupField property={property} problem={problem}>
      <div className="checks">
        {type.members.map((member) => (
          <label key={member} className="check">
            <input type="checkbox" checked={set.has(member)} onChange={() => toggle(member)} />
            {member}
          </label>
        ))}
      </div>
    </GroupField>
  );
}
