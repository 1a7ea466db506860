import type { EntitySource } from '../contract/entity-source.ts';
import type { ParameterTrust } from '../contract/parameter-trust.ts';

/** A source that reports each change to the trust in parameters, also one that has failed: it may have been made. */
export function noteChanges(
  source: EntitySource,
  trust: Pick<ParameterTrust, 'changed'> | undefined,
): EntitySource {
  if (trust === undefined) return source;
  const noting = async <Result>(resource: string, change: Promise<Result>): Promise<Result> => {
    try {
      return await change;
    } finally {
      trust.changed(resource);
    }
  };
  return {
    estimateOf: (operation) => source.estimateOf?.(operation),
    ...(source.permit && { permit: source.permit }),
    readCollection: (read, call) => source.readCollection(read, call),
    readChanges: (read, call) => source.readChanges(read, call),
    readEntity: (read, call) => source.readEntity(read, call),
    readStream: (read, call) => source.readStream(read, call),
    insert: (insert, call) => noting(insert.resource, source.insert(insert, call)),
    update: (update, call) => noting(update.resource, source.update(update, call)),
    delete: (remove, call) => noting(remove.resource, source.delete(remove, call)),
    call: (callable, call) =>
      callable.kind === 'function'
        ? source.call(callable, call)
        : noting(callable.resource, source.call(callable, call)),
    writeStream: (write, call) => noting(write.resource, source.writeStream(write, call)),
    deleteStream: (remove, call) => noting(remove.resource, source.deleteStream(remove, call)),
  };
}
