import {
  type AriaAttributes,
  type ComponentProps,
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  useId,
} from 'react';
import { FormFailure } from '../state/failure.tsx';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly submit: () => void;
  /** Why it could not be sent. */
  readonly error?: Error | null;
  /** Whether an input shows what is wrong at that target. */
  readonly isAtField?: ((target: string | undefined) => boolean) | undefined;
}

/** A form that stays on its page when it is sent, and says above its inputs why it could not be. */
export function Form({ submit, error = null, isAtField, children, ...attributes }: FormProps) {
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    submit();
  };
  return (
    <form {...attributes} onSubmit={onSubmit}>
      <FormFailure error={error} isAtField={isAtField} />
      {children}
    </form>
  );
}

interface ActionButtonProps {
  readonly label: string;
  /** What it says meanwhile, such as `Saving …`. */
  readonly doing: string;
  readonly isPending: boolean;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
  /** Without it, the button sends the form that it is in. */
  readonly act?: () => void;
}

/** A button for what takes a moment, which says so until it is done. */
export function ActionButton(props: ActionButtonProps) {
  const { label, doing, isPending, isDisabled = false, isDangerous = false, act } = props;
  return (
    <button
      type={act === undefined ? 'submit' : 'button'}
      className={isDangerous ? 'danger' : 'primary'}
      disabled={isPending || isDisabled}
      onClick={act}
    >
      {isPending ? doing : label}
    </button>
  );
}

/** What ties an input to its label, and to what is said of it. */
export type FieldAttributes = AriaAttributes & { readonly id: string };

interface FieldProps {
  readonly label: string;
  readonly isRequired?: boolean;
  /** What the input is for. */
  readonly hint?: string | undefined;
  /** What is wrong with what it has. */
  readonly problem?: string | undefined;
  readonly children: (attributes: FieldAttributes) => ReactNode;
}

/** An input with its label, what it is for, and what is wrong with it. */
export function Field({ label, isRequired = false, hint = '', problem, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
        {isRequired && <span className="required"> (required)</span>}
      </label>
      {children({
        id,
        'aria-required': isRequired,
        'aria-invalid': problem !== undefined,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
      })}
      {hint !== '' && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p className="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

type InputAttributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'required' | 'maxLength' | 'autoComplete'
>;

interface TextFieldProps extends InputAttributes {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly isRequired?: boolean;
  /** It may have several lines. */
  readonly isLong?: boolean;
}

/** An input for a text. What is `required`, the browser does not send without; what `isRequired`, the service does not take. */
export function TextField(props: TextFieldProps) {
  const { label, value, onChange, hint, problem, isRequired = false, isLong = false, ...input } = props;
  return (
    <Field label={label} hint={hint} problem={problem} isRequired={isRequired}>
      {(attributes) =>
        isLong ? (
          <textarea {...attributes} value={value} onChange={({ target }) => onChange(target.value)} />
        ) : (
          <input
            autoComplete="off"
            {...input}
            {...attributes}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly isSet: boolean;
  readonly onToggle: (isSet: boolean) => void;
}

/** A box to check, with its label. */
export function Checkbox({ label, isSet, onToggle }: CheckboxProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isSet} onChange={({ target }) => onToggle(target.checked)} />
      {label}
    </label>
  );
}

/** A value to choose, and what it is called. */
export type Choice = readonly [value: string, label: string];

interface SelectProps extends AriaAttributes {
  readonly id?: string;
  readonly className?: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
}

export function Select({ choices, onChange, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={({ target }) => onChange(target.value)}>
      {choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** A select with its label. */
export function SelectField({ label, ...props }: SelectProps & { readonly label: string }) {
  return <Field label={label}>{({ id }) => <Select id={id} {...props} />}</Field>;
}
