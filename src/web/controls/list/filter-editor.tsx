import { type FormEvent, useState } from 'react';
import { type EntitySet, isComparable, type Property } from '../../service/metadata.ts';
import { InputField } from '../form/input-field.tsx';
import { writeInput } from '../form/input-value.ts';
import { readInput } from '../form/read-input.ts';
import { type Filter, OPERATOR_LABELS, type Operator, operatorsOf, takesValue } from './filter.ts';

interface FilterEditorProps {
  readonly entitySet: EntitySet;
  readonly onAdd: (filter: Filter) => void;
}

/** Makes a condition on one of the entity set's properties. */
export function FilterEditor({ entitySet, onAdd }: FilterEditorProps) {
  const properties = entitySet.properties.filter(isComparable);
  const [property, setProperty] = useState<Property | undefined>(properties[0]);
  if (property === undefined) return <p>None of the properties can be filtered.</p>;
  return (
    <div className="filter-editor">
      <label className="field">
        <span className="label">Property</span>
        <select
          value={property.name}
          onChange={({ target }) => setProperty(properties.find(({ name }) => name === target.value))}
        >
          {properties.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <ConditionEditor key={property.name} property={property} onAdd={onAdd} />
    </div>
  );
}

interface ConditionEditorProps {
  readonly property: Property;
  readonly onAdd: (filter: Filter) => void;
}

/** What is being written: a condition that is added when its value can be read. */
function useCondition({ property, onAdd }: ConditionEditorProps) {
  const [operator, setOperator] = useState(operatorsOf(property)[0] ?? 'eq');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const read = takesValue(operator) ? readInput({ ...property, nullable: false }, text) : undefined;
    if (read?.kind === 'problem') setProblem(read.message);
    else onAdd({ property: property.name, operator, value: read?.kind === 'value' ? writeInput(read) : '' });
  };
  return { operator, setOperator, text, setText, problem, submit };
}

function ConditionEditor(props: ConditionEditorProps) {
  const { property } = props;
  const { operator, setOperator, text, setText, problem, submit } = useCondition(props);
  return (
    <form className="condition" onSubmit={submit} noValidate>
      <OperatorSelect operators={operatorsOf(property)} operator={operator} onChange={setOperator} />
      {takesValue(operator) && (
        <InputField
          property={{ ...property, label: 'Value', description: undefined, nullable: true }}
          isSingleLine
          text={text}
          problem={problem}
          onChange={setText}
        />
      )}
      <button type="submit" className="primary">
        Add filter
      </button>
    </form>
  );
}

interface OperatorSelectProps {
  readonly operators: readonly Operator[];
  readonly operator: Operator;
  readonly onChange: (operator: Operator) => void;
}

function OperatorSelect({ operators, operator, onChange }: OperatorSelectProps) {
  return (
    <label className="field">
      <span className="label">Condition</span>
      <select
        value={operator}
        onChange={({ target }) => onChange(operators.find((one) => one === target.value) ?? operator)}
      >
        {operators.map((one) => (
          <option key={one} value={one}>
            {OPERATOR_LABELS[one]}
          </option>
        ))}
      </select>
    </label>
  );
}
