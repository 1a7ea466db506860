import type { EntitySource } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { linkModel, type Model } from '../../model/model.ts';
import type { Permission } from '../../model/permission.ts';
import { visibleModel } from './visible-model.ts';

/** The error for each change while READ_ONLY is on. */
export function readOnly(): GatewayError {
  return new GatewayError(
    'ReadOnly',
    'Nothing can be changed at the moment: the gateway is set to read only.',
  );
}

const CHANGES: ReadonlySet<Permission> = new Set(['Insert', 'Update', 'Delete']);

/** The source without its changes: none of them reaches an upstream, after permissions were checked. */
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

/** The part of a model that reads: `$metadata` and introspection show no changes and no actions. */
export function readOnlyModel({ description }: Model): Model {
  const { callables, imports } = description;
  const reading = {
    ...description,
    callables: callables.filter(({ kind }) => kind === 'function'),
    imports: new Map([...imports].filter(([, { kind }]) => kind === 'function')),
  };
  return linkModel(visibleModel(reading, (_, permission) => !CHANGES.has(permission)));
}
