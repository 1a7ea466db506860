import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { clientAddressOf } from '../../src/auth/requests/client-address.ts';

function requestFrom(address: string, forwarded: string | undefined): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
  return request;
}

describe('the address of a client', () => {
  it.each([
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, ::1, 10.9.9.9', '203.0.113.9'],
    ['10.0.0.1', '2001:db8::1', '2001:db8::1'],
    ['10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.1'],
    ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['2001:db8::5', '203.0.113.9', '2001:db8::5'],
  ])('of %s with %s is %s', (address, forwarded, expected) => {
    const addressOf = clientAddressOf(['10.0.0.0/8', '::1']);
    expect(addressOf(requestFrom(address, forwarded))).toBe(expected);
  });
});
