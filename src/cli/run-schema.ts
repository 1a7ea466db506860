import { visibleModels } from '../auth/permissions/visible-model.ts';
import { schemaText } from '../graphql/schema/schema-text.ts';
import { grantedRoles } from '../model/resource-grants.ts';
import type { ExitCode, Io } from './command-io.ts';
import type { Derivation } from './derive-model.ts';
import type { ModelCommand } from './model-options.ts';

/** Prints the GraphQL schema of a service: all of it, or what users with the roles are shown. */
export function runSchema(
  { roles }: ModelCommand & { kind: 'schema' },
  derivation: Derivation | undefined,
  write: Io['write'],
): ExitCode {
  if (derivation === undefined) return 1;
  const { sources, model, unserved } = derivation;
  for (const { message } of unserved) write(`${message}\n`, 'stderr');
  if (sources.length === 0) return 1;
  const known = grantedRoles(model);
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown !== undefined) {
    write(`Nothing is granted to the role ${JSON.stringify(unknown)}: ${rolesText(known)}.\n`, 'stderr');
    return 1;
  }
  const visible = roles.length === 0 ? model : visibleModels(model)({ kind: 'user', id: '', roles });
  write(schemaText(model, visible), 'stdout');
  return unserved.length === 0 ? 0 : 1;
}

function rolesText(known: readonly string[]): string {
  return known.length === 0 ? 'no role is granted anything' : `known are ${known.join(', ')}`;
}
