import { GatewayError } from '../contract/gateway-error.ts';
import { assertWritable, findEntry } from './apis/registry.ts';
import { type ChangeDependencies, storeChanges } from './apis/store-changes.ts';
import { disabledFile, readDisabled, writeDisabled } from './folder/disabled-apis.ts';

interface DisablingOrder {
  /** The user who disables it; null for an operator. */
  readonly by: string | null;
  readonly reason: string;
}

/** Disables an API of the project: no calls are made until it is enabled. */
export async function disableApi(
  dependencies: ChangeDependencies,
  name: string,
  { by, reason }: DisablingOrder,
): Promise<void> {
  assertWritable(dependencies);
  const { source } = findEntry(dependencies, name);
  if (source === undefined) throw new GatewayError('Conflict', `${name} is not in the project.`);
  const disabled = readDisabled(dependencies.folder);
  if (disabled.has(name)) throw new GatewayError('Conflict', `${name} is turned off already.`);
  const api = { at: new Date().toISOString(), by: by ?? 'operator', reason };
  await store(dependencies, new Map([...disabled, [name, api]]));
}

/** Enables a disabled API. */
export async function enableApi(dependencies: ChangeDependencies, name: string): Promise<void> {
  assertWritable(dependencies);
  const disabled = readDisabled(dependencies.folder);
  if (!disabled.has(name)) {
    findEntry(dependencies, name);
    throw new GatewayError('Conflict', `${name} is not turned off.`);
  }
  await store(dependencies, new Map([...disabled].filter(([each]) => each !== name)));
}

async function store(
  dependencies: ChangeDependencies,
  apis: Parameters<typeof writeDisabled>[0],
): Promise<void> {
  await storeChanges(dependencies, undefined, [[disabledFile(dependencies.folder), writeDisabled(apis)]]);
  dependencies.disabled.look();
}
