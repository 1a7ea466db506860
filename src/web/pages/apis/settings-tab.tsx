import { type FormEvent, useState } from 'react';
import { type Api, type ApiFields, replaceApi } from '../../service/registry.ts';
import { fieldMistakes } from '../../state/field-mistakes.ts';
import { FormFailure } from '../../state/form-failure.tsx';
import { DocumentCheck } from './document-check.tsx';
import { type ChosenFile, DocumentFile } from './document-file.tsx';
import { ModelReportView } from './model-report.tsx';
import { TextField } from './text-field.tsx';
import { useApiChange, useRegistry } from './use-api.ts';
import { ValidationReport } from './validation-report.tsx';

/** What the gateway finds in the document, and what can be set. */
export function SettingsTab({ api }: { readonly api: Api }) {
  const { data: registry } = useRegistry();
  return (
    <>
      <section aria-labelledby="validation">
        <h2 id="validation">Validation</h2>
        <ValidationReport report={api.report} />
      </section>
      <section aria-labelledby="model">
        <h2 id="model">Entity model</h2>
        <ModelReportView model={api.model} />
      </section>
      {registry?.writable === true && (
        <section aria-labelledby="settings">
          <h2 id="settings">Settings</h2>
          <SettingsForm api={api} />
        </section>
      )}
    </>
  );
}

const FIELDS = ['description', 'serviceUrl', 'document'] as const;

function SettingsForm({ api }: { readonly api: Api }) {
  const [description, setDescription] = useState(api.description);
  const [serviceUrl, setServiceUrl] = useState(api.serviceUrl);
  const [file, setFile] = useState<ChosenFile>();
  const saving = useApiChange((fields: ApiFields) => replaceApi(api.name, fields));
  const mistakes = fieldMistakes(saving.error, FIELDS);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const changes = {
      ...(description === api.description ? {} : { description }),
      ...(serviceUrl === api.serviceUrl ? {} : { serviceUrl }),
      ...(file === undefined ? {} : { fileName: file.name, document: file.text }),
    };
    saving.mutate(changes, { onSuccess: () => setFile(undefined) });
  };
  return (
    <form className="form card" onSubmit={submit} aria-label="Settings" noValidate>
      <FormFailure error={saving.error} isAtField={(target) => FIELDS.some((name) => name === target)} />
      <TextField
        label="Description"
        isLong
        value={description}
        problem={mistakes.description}
        onChange={setDescription}
      />
      <TextField
        label="Service URL"
        hint="Where the operations are sent."
        value={serviceUrl}
        problem={mistakes.serviceUrl}
        onChange={setServiceUrl}
      />
      <DocumentFile label="Replace the file" problem={mistakes.document} onChoose={setFile} />
      {file !== undefined && <DocumentCheck file={file} />}
      <div className="buttons">
        <button type="submit" className="primary" disabled={saving.isPending}>
          {saving.isPending ? 'Saving …' : 'Save'}
        </button>
        <span role="status" className="saved">
          {saving.isSuccess && 'Saved.'}
        </span>
      </div>
    </form>
  );
}
