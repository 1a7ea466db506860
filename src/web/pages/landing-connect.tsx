import { useState } from 'react';
import { ConnectPanel } from '../connect/connect-panel.tsx';
import { Field } from '../controls/field.tsx';
import type { ServedEntitySet } from '../service/landing.ts';

/** How programs read one of the entity sets, the first one to begin with. */
export function LandingConnect({ entitySets }: { readonly entitySets: readonly ServedEntitySet[] }) {
  const connected = entitySets.filter(({ connection }) => connection !== undefined);
  const [chosen, setChosen] = useState<string>();
  const set = connected.find(({ name }) => name === chosen) ?? connected[0];
  if (set?.connection === undefined) return null;
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect a program</h2>
      {connected.length > 1 && (
        <div className="connect-choice">
          <Field label="Entity set">
            {({ id }) => (
              <select id={id} value={set.name} onChange={({ target }) => setChosen(target.value)}>
                {connected.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
        </div>
      )}
      <ConnectPanel key={set.name} entitySet={set.name} connection={set.connection} />
    </section>
  );
}
