import type { ComponentType } from 'react';
import { type StructuredType, typeNamed } from '../../service/metadata.ts';
import { changeType, emptyDraft, inputProperties, type StructureDraft } from './draft.ts';
import type { PropertyInputProps } from './property-input-props.ts';
import type { Problems } from './read-draft.ts';
import { TypeSelect } from './type-select.tsx';

interface StructureInputsProps {
  readonly type: StructuredType;
  readonly draft: StructureDraft;
  readonly problems: Problems;
  readonly onChange: (draft: StructureDraft) => void;
  /** Of the value that the properties belong to, with a slash at its end. */
  readonly path: string;
  /** The input for each property. */
  readonly Input: ComponentType<PropertyInputProps>;
}

/** An input for each property, by its type, and before them the choice of the type where there are several. */
export function StructureInputs({ type, draft, problems, onChange, path, Input }: StructureInputsProps) {
  const chosen = typeNamed(type, draft.type);
  return (
    <>
      {type.derived.length > 0 && (
        <TypeSelect
          type={type}
          chosen={chosen}
          problem={problems[`${path}@type`]}
          onChange={(next) => onChange(changeType(next, draft))}
        />
      )}
      {chosen !== undefined &&
        inputProperties(chosen).map((property) => (
          <Input
            key={property.name}
            property={property}
            path={path + property.name}
            draft={draft.members[property.name] ?? emptyDraft(property)}
            problems={problems}
            onChange={(member) =>
              onChange({ ...draft, members: { ...draft.members, [property.name]: member } })
            }
          />
        ))}
    </>
  );
}
