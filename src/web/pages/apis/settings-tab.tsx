import { useState } from 'react';
import { ActionButton, Form, TextField } from '../../controls/inputs.tsx';
import { Section } from '../../controls/section.tsx';
import { type ApiDetail, replaceApi } from '../../service/registry.ts';
import { fieldMistakes } from '../../state/failure.tsx';
import { ConfirmChanges, isConfirmation } from './confirm-changes.tsx';
import { type ChosenFile, DocumentCheck, DocumentFile, sentFile } from './document-check.tsx';
import { ChangeStatus } from './document-progress.tsx';
import { MaxAgeSettings } from './max-age-form.tsx';
import { type TabProps, useApiChange } from './use-api.ts';
import { ModelReportView, ValidationReport } from './validation-report.tsx';

/** The findings on the document, and the settings. */
export function SettingsTab({ api, isWritable }: TabProps) {
  return (
    <>
      <Section title="Validation">
        <ValidationReport report={api.report} />
      </Section>
      <Section title="Entity model">
        <ModelReportView model={api.model} />
      </Section>
      {isWritable && (
        <Section title="Settings">
          <SettingsForm api={api} />
        </Section>
      )}
      {isWritable && (
        <Section title="Age of answers">
          <MaxAgeSettings api={api} />
        </Section>
      )}
    </>
  );
}

const FIELDS = ['description', 'serviceUrl', 'document'] as const;

function SettingsForm({ api }: { readonly api: ApiDetail }) {
  const { values, set, save, saving } = useSettings(api);
  const mistakes = fieldMistakes(saving.error, FIELDS);
  return (
    <Form
      className="form card"
      submit={() => save([])}
      error={saving.error}
      isAtField={(target) => FIELDS.some((name) => name === target) || isConfirmation(target)}
      aria-label="Settings"
      noValidate
    >
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
      <ChangeStatus
        change={saving}
        isServed={api.state !== 'registered'}
        otherwise="Sending the changes …"
        done={saving.isSuccess && 'Saved.'}
      />
      <div className="buttons">
        <ActionButton label="Save" doing="Saving …" isPending={saving.isPending} />
      </div>
    </Form>
  );
}

interface Settings {
  readonly description: string;
  readonly serviceUrl: string;
  readonly file?: ChosenFile | undefined;
}

function useSettings(api: ApiDetail) {
  const { description, serviceUrl } = api;
  const [values, setValues] = useState<Settings>({ description, serviceUrl });
  const saving = useApiChange(async (confirm: readonly string[], progressId) =>
    replaceApi(api.name, { ...(await changesOf(api, values)), confirm }, progressId),
  );
  // Uses the latest state, because typing may continue while a file loads or a change is saved.
  const set = (change: Partial<Settings>): void => setValues((known) => ({ ...known, ...change }));
  const save = (confirm: readonly string[]): void =>
    saving.mutate(confirm, { onSuccess: () => set({ file: undefined }) });
  return { values, set, save, saving };
}

/** Sends only differences, because entries edited by hand cannot be changed here. */
async function changesOf(api: ApiDetail, { description, serviceUrl, file }: Settings) {
  return {
    ...(description === api.description ? {} : { description }),
    ...(serviceUrl === api.serviceUrl ? {} : { serviceUrl }),
    ...(file === undefined ? {} : await sentFile(file)),
  };
}
