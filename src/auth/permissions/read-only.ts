import type { EntitySource } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { linkModel, type Model } from '../../model/model.ts';
import type { Permission } from '../../model/permission.ts';
import { visibleModel } from './visible-model.ts';

export function readOnly(): GatewayError {
  return new GatewayError(
    'ReadOnly',
    'Nothing can be changed at the moment: the gateway is set to read only.',
  );
}

const CHANGES: ReadonlySet<Permission> = new Set(['Insert', 'Update', 'Delete']);

/** Rejects all changes after permissions were checked; none reaches an upstream. */
export function readOnlySource(source: EntitySource): EntitySource {
  const refuse = async (): Promise<never> => {
    throw readOnly();
  };
  return {
    ...source,
    permit(resource, permission, call) {
      source.permit?.(resource, permission, call);
      if (CHANGES.has(permission)) throw readOnly();
    },
    insert: refuse,
    update: refuse,
    delete: refuse,
    writeStream: refuse,
    deleteStream: refuse,
    call: (callable, call) => (callable.kind === 'function' ? source.call(callable, call) : refuse()),
  };
}

/** The model without changes and actions, for `$metadata` and introspection. */
export function readOnlyModel({ description }: Model): Model {
  const { callables, imports } = description;
  const reading = {
    ...description,
    callables: callables.filter(({ kind }) => kind === 'function'),
    imports: new Map([...imports].filter(([, { kind }]) => kind === 'function')),
  };
  return linkModel(visibleModel(reading, (_, permission) => !CHANGES.has(permission)));
}
