import type { StructuredType } from '../../service/metadata.ts';
import type { StructureDraft } from './draft.ts';
import { PropertyInput } from './property-input.tsx';
import type { Problems } from './read-draft.ts';
import { StructureInputs } from './structure-inputs.tsx';

interface AutoInputsProps {
  readonly type: StructuredType;
  readonly draft: StructureDraft;
  readonly problems: Problems;
  readonly onChange: (draft: StructureDraft) => void;
}

/** An input for each property of an entity, by its type. */
export function AutoInputs(props: AutoInputsProps) {
  return <StructureInputs {...props} path="" Input={PropertyInput} />;
}

/** The type without the properties that are excluded by name: they have no input. */
export function withoutExcluded(type: StructuredType, exclude = ''): StructuredType {
  const excluded = new Set(exclude.split(',').map((name) => name.trim()));
  return {
    ...type,
    properties: type.properties.filter(({ name }) => !excluded.has(name)),
    derived: type.derived.map((derived) => withoutExcluded(derived, exclude)),
  };
}
