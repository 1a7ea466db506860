import { type FormEvent, useState } from 'react';
import { type Api, replaceApi } from '../../service/registry.ts';
import { FormFailure, fieldMistakes } from '../../state/failure.tsx';
import { ConfirmChanges, isConfirmation } from './confirm-changes.tsx';
import { type ChosenFile, DocumentCheck, DocumentFile, sentFile } from './document-check.tsx';
import { DocumentProgress } from './document-progress.tsx';
import { TextField } from './text-field.tsx';
import { useApiChange, useRegistry } from './use-api.ts';
import { ModelReportView, ValidationReport } from './validation-report.tsx';

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

/** What can be set of an API. */
function SettingsForm({ api }: { readonly api: Api }) {
  const { values, set, save, submit, saving } = useSettings(api);
  const mistakes = fieldMistakes(saving.error, FIELDS);
  return (
    <form className="form card" onSubmit={submit} aria-label="Settings" noValidate>
      <FormFailure
        error={saving.error}
        isAtField={(target) => FIELDS.some((name) => name === target) || isConfirmation({ target })}
      />
      <TextField
        label="Description"
        isLong
        value={values.description}
        problem={mistakes.description}
        onChange={(description) => set({ description })}
      />
      <TextField
        label="Service URL"
        hint="Where requests are sent."
        value={values.serviceUrl}
        problem={mistakes.serviceUrl}
        onChange={(serviceUrl) => set({ serviceUrl })}
      />
      <DocumentFile label="Replace the file" problem={mistakes.document} onChoose={(file) => set({ file })} />
      {values.file !== undefined && <DocumentCheck key={values.file.id} file={values.file} />}
      <ConfirmChanges error={saving.error} confirm={save} isPending={saving.isPending} />
      <div role="status">
        {saving.isPending && (
          <DocumentProgress
            id={saving.progressId}
            isServed={api.state !== 'registered'}
            otherwise="Sending the changes …"
          />
        )}
      </div>
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

interface Settings {
  readonly description: string;
  readonly serviceUrl: string;
  readonly file?: ChosenFile | undefined;
}

function useSettings(api: Api) {
  const { description, serviceUrl } = api;
  const [values, setValues] = useState<Settings>({ description, serviceUrl });
  const saving = useApiChange(async (confirm: readonly string[], progressId) =>
    replaceApi(api.name, { ...(await changesOf(api, values)), confirm }, progressId),
  );
  // A file is read, and a change is saved, while somebody may go on typing.
  const set = (change: Partial<Settings>): void => setValues((known) => ({ ...known, ...change }));
  const save = (confirm: readonly string[]): void =>
    saving.mutate(confirm, { onSuccess: () => set({ file: undefined }) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save([]);
  };
  return { values, set, save, submit, saving };
}

/** Only what differs is sent: what the project file says by hand cannot be changed here. */
async function changesOf(api: Api, { description, serviceUrl, file }: Settings) {
  return {
    ...(description === api.description ? {} : { description }),
    ...(serviceUrl === api.serviceUrl ? {} : { serviceUrl }),
    ...(file === undefined ? {} : await sentFile(file)),
  };
}
