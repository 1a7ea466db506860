import type { Api } from '../../service/registry.ts';
import { ModelReportView } from './model-report.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useRegistry } from './use-api.ts';
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
