import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { ActionButton, Checkbox, Form, TextField } from '../../controls/inputs.tsx';
import { APIS, apiAddress } from '../../service/addresses.ts';
import { type ApiFields, registerApi } from '../../service/registry.ts';
import { Page, ParentLink } from '../../shell/page.tsx';
import { fieldMistakes } from '../../state/failure.tsx';
import { type ChosenFile, DocumentCheck, DocumentFile, sentFile } from './document-check.tsx';
import { ChangeStatus } from './document-progress.tsx';
import { useApiChange } from './use-api.ts';

export function RegisterPage() {
  return (
    <Page title="Register an API" above={<ParentLink to={APIS}>APIs</ParentLink>}>
      <RegisterForm />
    </Page>
  );
}

const FIELDS = ['name', 'description', 'serviceUrl', 'document', 'archive', 'url'] as const;
const EMPTY = { name: '', description: '', serviceUrl: '', url: '' };

function RegisterForm() {
  const { file, choose, text, submit, registering, withFiles, setWithFiles } = useRegistration();
  const { error, isPending } = registering;
  return (
    <Form
      className="form card"
      submit={submit}
      error={error}
      isAtField={(target) => FIELDS.some((name) => name === target)}
      aria-label="Register an API"
      noValidate
    >
      <DocumentFile
        label="OpenAPI file"
        problem={fieldMistakes(error, FIELDS).document ?? fieldMistakes(error, FIELDS).archive}
        onChoose={choose}
      />
      {file !== undefined && <DocumentCheck key={file.id} file={file} />}
      {file === undefined && (
        <TextField
          label="Or its URL"
          hint="The document is fetched from here, now and whenever you choose Fetch operations."
          {...text('url')}
        />
      )}
      {file === undefined && (
        <Checkbox
          label="Fetch the files beside it that it refers to"
          isSet={withFiles}
          onToggle={setWithFiles}
        />
      )}
      <TextField label="Name" isRequired hint="Letters, digits and underscores." {...text('name')} />
      <TextField label="Description" isLong {...text('description')} />
      <TextField
        label="Service URL"
        hint="If empty, the document’s first server is used."
        {...text('serviceUrl')}
      />
      <ChangeStatus
        change={registering}
        otherwise={file === undefined ? 'Fetching the document …' : 'Sending the file …'}
      />
      <div className="buttons">
        <ActionButton label="Register" doing="Registering …" isPending={isPending} />
        <Link to={APIS} className="button">
          Cancel
        </Link>
      </div>
    </Form>
  );
}

/** Without a file, the missing fields are reported beside their inputs. */
const NO_FILE = { fileName: '', document: '' };

/** The fields of a registration, whose file may still be loading. */
interface Registration extends Omit<ApiFields, 'fileName' | 'document' | 'archive'> {
  readonly document?: typeof NO_FILE | ReturnType<typeof sentFile>;
}

/** The state of the form and its action. */
function useRegistration() {
  const [fields, setFields] = useState(EMPTY);
  const [file, setFile] = useState<ChosenFile>();
  const [withFiles, setWithFiles] = useState(false);
  const navigate = useNavigate();
  const registering = useApiChange(async ({ document, ...said }: Registration, progressId) =>
    registerApi({ ...said, ...(await document) }, progressId),
  );
  const choose = (chosen: ChosenFile | undefined): void => {
    setFile(chosen);
    if (chosen !== undefined)
      setFields((known) => (known.name === '' ? { ...known, name: nameFrom(chosen.name) } : known));
    registering.reset();
  };
  const submit = (): void => {
    const { url, ...said } = fields;
    const order =
      file === undefined && url.trim() !== ''
        ? { ...said, url: url.trim(), withFiles }
        : { ...said, document: file === undefined ? NO_FILE : sentFile(file) };
    registering.mutate(order, { onSuccess: ({ name }) => navigate(apiAddress(name)) });
  };
  const text = (name: keyof typeof EMPTY) => ({
    value: fields[name],
    problem: fieldMistakes(registering.error, FIELDS)[name],
    onChange: (value: string) => setFields((known) => ({ ...known, [name]: value })),
  });
  return { file, choose, text, submit, registering, withFiles, setWithFiles };
}

/** `pet-store.yaml` → `PetStore`. */
function nameFrom(fileName: string): string {
  return fileName
    .replace(/\.[^.]*$/, '')
    .split(/\W+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
    .replace(/^\d+/, '');
}
