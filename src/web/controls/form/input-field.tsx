import type { InputHTMLAttributes } from 'react';
import type { Property } from '../../service/metadata.ts';
import { type Choice, Field, type FieldAttributes, Select } from '../inputs.tsx';
import { formHint } from './input-value.ts';

export interface InputFieldProps {
  readonly property: Property;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
  /** Forces a single line for a long text. */
  readonly isSingleLine?: boolean;
}

/** An input for values of the property's type. */
export function InputField({ property, text, problem, onChange, isSingleLine = false }: InputFieldProps) {
  const { label, nullable } = property;
  return (
    <Field label={label} isRequired={!nullable} hint={hintOf(property)} problem={problem}>
      {(attributes) => (
        <TypedInput
          property={property}
          isSingleLine={isSingleLine}
          value={text}
          onChange={onChange}
          attributes={attributes}
        />
      )}
    </Field>
  );
}

/** A hint on the purpose and format of the input. */
export function hintOf({ description, type, limits }: Property): string {
  const limit = limits.maxLength === undefined ? undefined : `At most ${limits.maxLength} characters.`;
  return [description, limit, formHint(type.name)].filter((part) => part !== undefined).join(' ');
}

interface TypedInputProps {
  readonly property: Property;
  readonly isSingleLine: boolean;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly attributes: FieldAttributes;
}

type Kind = Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'inputMode' | 'step'>;

const KINDS: Readonly<Record<string, Kind>> = {
  'Edm.Date': { type: 'date' },
  'Edm.DateTimeOffset': { type: 'datetime-local', step: 1 },
  'Edm.TimeOfDay': { type: 'time', step: 1 },
  'Edm.Byte': { inputMode: 'numeric' },
  'Edm.SByte': { inputMode: 'numeric' },
  'Edm.Int16': { inputMode: 'numeric' },
  'Edm.Int32': { inputMode: 'numeric' },
  'Edm.Int64': { inputMode: 'numeric' },
  'Edm.Single': { inputMode: 'decimal' },
  'Edm.Double': { inputMode: 'decimal' },
  'Edm.Decimal': { inputMode: 'decimal' },
};

/** Maximum length of a single-line text. */
const LINE = 255;

function TypedInput({ property, isSingleLine, value, onChange, attributes }: TypedInputProps) {
  const choices = choicesOf(property);
  if (choices !== undefined) {
    return (
      <Select
        {...attributes}
        value={value}
        choices={[['', property.nullable ? '–' : 'Choose …'], ...choices]}
        onChange={onChange}
      />
    );
  }
  if (!isSingleLine && hasLines(property)) {
    return (
      <textarea {...attributes} rows={2} value={value} onChange={({ target }) => onChange(target.value)} />
    );
  }
  const kind = property.type.kind === 'primitive' ? KINDS[property.type.name] : undefined;
  return (
    <input
      type="text"
      autoComplete="off"
      {...kind}
      {...attributes}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** The selectable values with labels. Flags are typed, because several may be set. */
function choicesOf({ type, limits }: Property): readonly Choice[] | undefined {
  const names = type.kind === 'enum' && !type.flags ? type.members : limits.allowedValues;
  if (names !== undefined) return names.map((name) => [name, name]);
  if (type.kind === 'primitive' && type.name === 'Edm.Boolean') {
    return [
      ['true', 'Yes'],
      ['false', 'No'],
    ];
  }
  return undefined;
}

/** Whether the input has several lines. */
export function hasLines({ type, isCollection, limits }: Property): boolean {
  const { maxLength, pattern } = limits;
  if (isCollection || type.kind === 'complex') return true;
  return type.name === 'Edm.String' && pattern === undefined && (maxLength === undefined || maxLength > LINE);
}
