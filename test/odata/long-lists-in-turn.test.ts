import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';

const LIST = JSON.stringify(
  Array.from({ length: 1_000 }, (_, id) => ({ id, userId: 1, title: 't'.repeat(1_000) })),
);

describe('long lists, of which one at a time has room', () => {
  const gateway = useGateway({
    ANSWERS_MIB: '5',
    ANSWERS_WAIT_MS: '2500',
    UPSTREAM_SHARED_READS: 'off',
    MEMORY_MIB: '0',
  });

  it('are answered one after the other, however long all of them take', async () => {
    gateway.upstream.behave((_, reply) => reply.send(200, LIST));
    // The first one takes longer than others: its code is compiled.
    expect((await gateway.fetch('/odata/Post?$top=1')).status).toBe(200);
    const readThree = async (client: number): Promise<readonly number[]> => {
      const statuses: number[] = [];
      for (const skip of [0, 1, 2]) {
        statuses.push((await gateway.fetch(`/odata/Post?$skip=${client + skip}&$top=1`)).status);
      }
      return statuses;
    };
    const clients = Array.from({ length: 75 }, (_, client) => readThree(client));
    expect((await Promise.all(clients)).flat()).toEqual(Array(225).fill(200));
  });
});
