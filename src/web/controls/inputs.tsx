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
  /** The error of the last attempt. */
  readonly error?: Error | null;
  /** Whether an input shows the error with that target. */
  readonly isAtField?: ((target: string | undefined) => boolean) | undefined;
}

/** A form that stays on its page when it is submitted, with errors above its inputs. */
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
  /** The label while the action runs, such as `Saving …`. */
  readonly doing: string;
  readonly isPending: boolean;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
  /** Undefined for a button that submits its form. */
  readonly act?: () => void;
}

/** A button for an asynchronous action, which shows that it is running. */
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

/** Attributes that connect an input with its label, hint and error. */
export type FieldAttributes = AriaAttributes & { readonly id: string };

interface FieldProps {
  readonly label: string;
  readonly isRequired?: boolean;
  /** A hint on the purpose. */
  readonly hint?: string | undefined;
  /** The error of the value. */
  readonly problem?: string | undefined;
  readonly children: (attributes: FieldAttributes) => ReactNode;
}

/** An input with its label, hint and error. */
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
  /** True for several lines. */
  readonly isLong?: boolean;
}

/** A text input. `required` is checked by the browser, `isRequired` by the service. */
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

export function Checkbox({ label, isSet, onToggle }: CheckboxProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isSet} onChange={({ target }) => onToggle(target.checked)} />
      {label}
    </label>
  );
}

/** A value and its label. */
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

export function SelectField({ label, ...props }: SelectProps & { readonly label: string }) {
  return <Field label={label}>{({ id }) => <Select id={id} {...props} />}</Field>;
}
