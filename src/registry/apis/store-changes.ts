import { readFileSync } from 'node:fs';
import type { RelationDecision, WrittenGrants, WrittenMaxAge } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { ImprovementAnswer, ImprovementOrder } from '../../contract/improvements.ts';
import { UnconfirmedChange } from '../../contract/service-changes.ts';
import type { DescriptionTexts } from '../../openapi/openapi-description.ts';
import { type ApiEntry, isOwnFile, readApis, shownPath } from '../folder/api-folder.ts';
import { changeFiles, type FileChanges } from '../folder/change-files.ts';
import { notStored } from '../folder/not-stored.ts';
import type { ProjectLock } from '../folder/project-lock.ts';
import { unconfirmed } from './assert-confirmed.ts';
import type { RegistryDependencies } from './registry.ts';

/** Dependencies of changes of the registry. */
export interface ChangeDependencies extends RegistryDependencies {
  readonly lock: ProjectLock;
  /** Creates an overlay with the grants; throws their mistakes. */
  readonly grant: (texts: DescriptionTexts, rows: readonly WrittenGrants[]) => Promise<string>;
  /** Creates an overlay with decisions about relations of the named API; throws their mistakes. */
  readonly relate: (
    texts: DescriptionTexts,
    name: string,
    decisions: readonly RelationDecision[],
  ) => Promise<string>;
  /** Answers what an overlay could say of a document; throws the mistakes of the texts. */
  readonly improve: (texts: DescriptionTexts, order: ImprovementOrder) => Promise<ImprovementAnswer>;
  /** Creates an overlay with the ages of answers; throws their mistakes. */
  readonly allowAges: (texts: DescriptionTexts, ages: readonly WrittenMaxAge[]) => Promise<string>;
  /**
   * Resolves when the current files are served; rejects with the reason if they cannot be. Breaking changes
   * must be among the confirmed messages.
   */
  readonly settle: (confirmed: readonly string[]) => Promise<void>;
}

/**
 * Changes the files and waits until the project is served accordingly, if it is affected. Throws Conflict for
 * unconfirmed breaking changes.
 */
export async function storeChanges(
  dependencies: ChangeDependencies,
  entry: ApiEntry | undefined,
  changes: readonly (readonly [string, string | undefined])[],
  confirmed: readonly string[] = [],
): Promise<void> {
  const files: FileChanges = new Map(changes);
  const isOfProject = entry?.source !== undefined || files.has(dependencies.folder.projectFile);
  const settle = isOfProject ? () => dependencies.settle(confirmed) : async () => undefined;
  const settled = async (): Promise<void> => {
    await settle().catch((error) => {
      throw notServed(error, dependencies);
    });
    const isIn = readApis(dependencies.folder).some(
      ({ name, source }) => name === entry?.name && source !== undefined,
    );
    if (isOfProject && isIn && entry !== undefined && dependencies.served(entry.name) === undefined) {
      throw notServed(new Error('it is left out'), dependencies);
    }
  };
  const restored = () => settle().catch(() => undefined);
  await changeFiles(dependencies.folder, dependencies.lock, files, settled, restored).catch((error) => {
    throw error instanceof GatewayError ? error : notStored(dependencies.folder, error);
  });
}

function notServed(error: unknown, { folder, needsGrants }: ChangeDependencies): GatewayError {
  if (error instanceof UnconfirmedChange) return unconfirmed(error.changes, needsGrants);
  // The change itself is valid.
  if (error instanceof GatewayError && error.code === 'Overloaded') return error;
  const reason = error instanceof Error ? error.message : String(error);
  const message = `The project could not be served with this change, so nothing was changed. ${reason.replaceAll(`${folder.root}/`, '')}`;
  return new GatewayError('BadRequest', message, { cause: error });
}

export function projectText({ folder }: ChangeDependencies): string {
  return readFileSync(folder.projectFile, 'utf8');
}

/** Throws Forbidden for a document outside of the registry's folder. */
export function assertOwnFile({ folder }: Pick<ChangeDependencies, 'folder'>, { file }: ApiEntry): void {
  if (isOwnFile(folder, file)) return;
  const message = `The document is ${shownPath(folder, file)}: only those in openapi/ can be changed here.`;
  throw new GatewayError('Forbidden', message);
}
