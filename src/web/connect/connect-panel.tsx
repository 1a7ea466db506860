import { useState } from 'react';
import { CopyButton } from '../controls/copy-button.tsx';
import type { Connection } from '../service/landing.ts';
import { useSession } from '../service/session.ts';
import { ConnectKey } from './connect-key.tsx';
import { ProgramCard } from './program-card.tsx';
import { setAddress, type Target } from './program-texts.ts';
import { PROGRAMS } from './programs.tsx';

interface ConnectPanelProps {
  readonly entitySet: string;
  readonly connection: Connection;
}

/** How programs read an entity set: its address, a key for it, and what each of them is told. */
export function ConnectPanel({ entitySet, connection }: ConnectPanelProps) {
  const { data: session } = useSession();
  const [key, setKey] = useState<string>();
  const [name, setName] = useState(PROGRAMS[0]?.name);
  const program = PROGRAMS.find((each) => each.name === name);
  const target: Target = {
    gateway: document.baseURI,
    entitySet,
    key: session?.kind === 'open' ? undefined : (key ?? 'YOUR_KEY'),
    query: connection.query,
  };
  const address = setAddress(target);
  const { filteredBy = [] } = connection;
  return (
    <div className="card connect">
      <p className="connect-address">
        <code>{address}</code>
        <CopyButton text={address} what="the address" />
      </p>
      {filteredBy.length > 0 && (
        <p className="banner plain">
          This set can only be read with a filter on {filteredBy.join(' and ')}. Add one to the address, such
          as <code>{`?$filter=${filteredBy.map((property) => `${property} eq …`).join(' and ')}`}</code>.
        </p>
      )}
      {session?.kind === 'user' && (
        <ConnectKey
          entitySet={entitySet}
          connection={connection}
          program={name}
          secret={key}
          onMade={setKey}
        />
      )}
      <fieldset className="programs">
        <legend className="visually-hidden">Programs</legend>
        {PROGRAMS.map((each) => (
          <button
            key={each.name}
            type="button"
            aria-pressed={each.name === name}
            onClick={() => setName(each.name)}
          >
            {each.name}
          </button>
        ))}
      </fieldset>
      {program !== undefined && <ProgramCard key={program.name} program={program} target={target} />}
    </div>
  );
}
