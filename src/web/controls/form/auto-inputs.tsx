import type { Property } from '../../service/metadata.ts';
import { type Draft, isGroup, type Problems } from './draft.ts';
import { InputField } from './input-field.tsx';

interface AutoInputsProps {
  readonly properties: readonly Property[];
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onChange: (path: string, text: string) => void;
  /** Of the value that the properties belong to, with a slash at its end. */
  readonly path?: string;
}

/** An input for each property, by its type. */
export function AutoInputs({ properties, draft, problems, onChange, path = '' }: AutoInputsProps) {
  return properties.map((property) => {
    const own = path + property.name;
    if (isGroup(property)) {
      return (
        <fieldset key={own}>
          <legend>{property.label}</legend>
          <AutoInputs
            properties={property.type.properties}
            path={`${own}/`}
            draft={draft}
            problems={problems}
            onChange={onChange}
          />
        </fieldset>
      );
    }
    return (
      <InputField
        key={own}
        property={property}
        text={draft[own] ?? ''}
        problem={Object.hasOwn(problems, own) ? problems[own] : undefined}
        onChange={(text) => onChange(own, text)}
      />
    );
  });
}

/** The properties that have an input: those that are not excluded by name. */
export function includedProperties(properties: readonly Property[], exclude = ''): readonly Property[] {
  const excluded = new Set(exclude.split(',').map((name) => name.trim()));
  return properties.filter(({ name }) => !excluded.has(name));
}
