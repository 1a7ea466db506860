import { type ReactNode, useId } from 'react';
import { type Property, type StructuredType, typeNamed } from '../../service/metadata.ts';
import { Checkbox, type Choice, Field, Select } from '../inputs.tsx';
import {
  addItem,
  changeType,
  type Draft,
  emptyDraft,
  emptyStructure,
  type Item,
  type ItemsDraft,
  inputProperties,
  itemProperty,
  type Problems,
  type StructureDraft,
} from './draft.ts';
import { InputField, type InputFieldProps } from './input-field.tsx';
import { ReferenceField, useReference } from './reference-input.tsx';

/** The input, or group of inputs, for a property. */
function PropertyInput(props: PropertyInputProps) {
  const { draft } = props;
  switch (draft.kind) {
    case 'items':
      return <CollectionInput {...props} draft={draft} />;
    case 'absent':
    case 'structure':
      return <StructureInput {...props} />;
    case 'text':
      return <TextInput {...props} text={draft.text} />;
  }
}

function TextInput({
  property,
  text,
  problems,
  path,
  onChange,
}: PropertyInputProps & { readonly text: string }) {
  const reference = useReference(path);
  const field = {
    property,
    text,
    problem: Object.hasOwn(problems, path) ? problems[path] : undefined,
    onChange: (changed: string) => onChange({ kind: 'text', text: changed }),
  };
  if (isFlags(property)) return <FlagsField {...field} />;
  return reference === undefined ? (
    <InputField {...field} />
  ) : (
    <ReferenceField {...field} reference={reference} />
  );
}

/** An optional structure appears when it is added. */
function StructureInput({ property, draft, problems, path, onChange }: PropertyInputProps) {
  const { type, label, nullable } = property;
  if (type.kind !== 'complex') return null;
  const add = (): void => onChange(emptyStructure(type.structure));
  return (
    <GroupField property={property} problem={problems[path]}>
      {draft.kind === 'structure' ? (
        <StructureInputs
          type={type.structure}
          draft={draft}
          problems={problems}
          path={`${path}/`}
          onChange={onChange}
        />
      ) : (
        <button type="button" className="add" onClick={add}>
          Add {label}
        </button>
      )}
      {draft.kind === 'structure' && nullable && (
        <button type="button" className="remove" onClick={() => onChange({ kind: 'absent' })}>
          Remove {label}
        </button>
      )}
    </GroupField>
  );
}

function isFlags({ type }: Property): boolean {
  return type.kind === 'enum' && type.flags;
}

interface AutoInputsProps {
  readonly type: StructuredType;
  readonly draft: StructureDraft;
  readonly problems: Problems;
  readonly onChange: (draft: StructureDraft) => void;
}

/** Inputs for the properties of an entity. */
export function AutoInputs(props: AutoInputsProps) {
  return <StructureInputs {...props} path="" />;
}

/** The type without excluded properties, which have no input. */
export function withoutExcluded(type: StructuredType, exclude = ''): StructuredType {
  const excluded = new Set(exclude.split(',').map((name) => name.trim()));
  return {
    ...type,
    properties: type.properties.filter(({ name }) => !excluded.has(name)),
    derived: type.derived.map((derived) => withoutExcluded(derived, exclude)),
  };
}

interface StructureInputsProps {
  readonly type: StructuredType;
  readonly draft: StructureDraft;
  readonly problems: Problems;
  readonly onChange: (draft: StructureDraft) => void;
  /** The path of the containing value, with a trailing slash. */
  readonly path: string;
}

/** Inputs for the properties, after a selection of the type if there are several. */
function StructureInputs({ type, draft, problems, onChange, path }: StructureInputsProps) {
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
          <PropertyInput
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

interface TypeSelectProps {
  readonly type: StructuredType;
  readonly chosen: StructuredType | undefined;
  readonly problem: string | undefined;
  readonly onChange: (type: StructuredType | undefined) => void;
}

/** Selects the type of a value: the declared one, unless abstract, or a derived one. */
function TypeSelect({ type, chosen, problem, onChange }: TypeSelectProps) {
  const choices = [type, ...type.derived].filter(({ isAbstract }) => !isAbstract);
  const named = choices.map(({ name, label }): Choice => [name, label]);
  const choose = (name: string): void => onChange(choices.find((choice) => choice.name === name));
  return (
    <Field label="Type" isRequired={type.isAbstract} problem={problem}>
      {(attributes) => (
        <Select
          {...attributes}
          value={chosen?.name ?? ''}
          choices={type.isAbstract ? [['', 'Choose …'], ...named] : named}
          onChange={choose}
        />
      )}
    </Field>
  );
}

interface CollectionInputProps extends PropertyInputProps {
  readonly draft: ItemsDraft;
}

/** Inputs for the items of a collection, which can be added and removed. */
function CollectionInput({ property, draft, problems, path, onChange }: CollectionInputProps) {
  const { items } = draft;
  const put = (next: readonly Item[]): void => onChange({ kind: 'items', items: next });
  const change = (changed: Item, to: Draft): void =>
    put(items.map((item) => (item === changed ? { ...item, draft: to } : item)));
  return (
    <GroupField property={property} problem={problems[path]}>
      {items.map((item, index) => {
        const label = `${property.label} ${index + 1}`;
        return (
          <div className="collection-item" key={item.id}>
            <PropertyInput
              property={{ ...itemProperty(property), label }}
              draft={item.draft}
              problems={problems}
              path={`${path}/${index}`}
              onChange={(to) => change(item, to)}
            />
            <RemoveButton label={label} remove={() => put(items.filter((other) => other !== item))} />
          </div>
        );
      })}
      <button type="button" className="add" onClick={() => onChange(addItem(property, draft))}>
        Add to {property.label}
      </button>
    </GroupField>
  );
}

function RemoveButton({ label, remove }: { readonly label: string; readonly remove: () => void }) {
  return (
    <button type="button" className="remove" aria-label={`Remove ${label}`} onClick={remove}>
      Remove
    </button>
  );
}

/**
 * Checkboxes for the members of flags; their text is separated by commas.
 *
 * The member for no flag is exclusive.
 */
function FlagsField({ property, text, problem, onChange }: InputFieldProps) {
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
            <Checkbox key={member} label={member} isSet={set.has(member)} onToggle={() => toggle(member)} />
          ))}
        {none !== undefined && <span className="hint">or</span>}
        {none !== undefined && (
          <Checkbox label={none} isSet={text === none} onToggle={(isNone) => onChange(isNone ? none : '')} />
        )}
      </div>
    </GroupField>
  );
}

interface GroupFieldProps {
  readonly property: Property;
  readonly problem: string | undefined;
  readonly children: ReactNode;
}

/** A group of inputs with a hint and an error. */
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

/** Properties of the input or group for one property. */
interface PropertyInputProps {
  readonly property: Property;
  readonly draft: Draft;
  readonly problems: Problems;
  /** The path of the property's value, such as `Address/City`. */
  readonly path: string;
  readonly onChange: (draft: Draft) => void;
}
