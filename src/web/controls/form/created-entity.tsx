import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { isEntity } from '../../service/entity.ts';
import type { EntitySet } from '../../service/metadata.ts';
import type { JsonAnswer } from '../../service/request.ts';
import type { ButtonConfiguration } from '../screen.ts';
import { ReadOnlyFields } from './read-only-fields.tsx';

interface CreatedEntityProps {
  readonly answer: JsonAnswer;
  readonly entitySet: EntitySet;
  readonly buttons: readonly ButtonConfiguration[];
  readonly again: () => void;
}

/** What the service answered to a create. */
export function CreatedEntity({ answer, entitySet, buttons, again }: CreatedEntityProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const leave = buttons.find(({ navigateUrl }) => navigateUrl !== undefined)?.navigateUrl;
  return (
    <div className="form card">
      <div className="banner good" role="status">
        <h2 ref={heading} tabIndex={-1}>
          {entitySet.typeName} created
        </h2>
        <p>
          The service answered {answer.status} with what is shown below. The API behind it decides what it
          keeps, so the list need not have it.
        </p>
      </div>
      {isEntity(answer.body) && <ReadOnlyFields type={entitySet.type} entity={answer.body} />}
      <div className="buttons">
        {leave !== undefined && (
          <Link to={leave} relative="path" className="button primary">
            Done
          </Link>
        )}
        <button type="button" onClick={again}>
          Add another
        </button>
      </div>
    </div>
  );
}
