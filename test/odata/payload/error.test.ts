import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/contract/gateway-error.ts';
import { writeError } from '../../../src/odata/payload/json/error.ts';

const HEADERS = {
  'content-language': 'en',
  'cache-control': 'no-store',
  'odata-version': '4.0',
};

describe('an error (Part 1, 9.4; JSON Format, 21.1)', () => {
  it('has code and message, target and details, and nothing of what really happened', () => {
    const details = [
      { code: 'BadRequest', message: 'A', target: 'Home/City' },
      { code: 'BadRequest', message: 'B' },
    ] as const;
    const cause = new Error('secret');
    const error = new GatewayError('BadRequest', 'A', { target: 'Home/City', details, cause });
    expect(writeError(error, '4.0', undefined)).toStrictEqual({
      status: 400,
      headers: { ...HEADERS, 'content-type': 'application/json' },
      body: '{"error":{"code":"BadRequest","message":"A","target":"Home/City","details":[{"code":"BadRequest","message":"A","target":"Home/City"},{"code":"BadRequest","message":"B"}]}}',
    });
  });

  it('has the header fields that its status demands', () => {
    const error = new GatewayError('MethodNotAllowed', 'No', { headers: { allow: 'GET, HEAD' } });
    expect(writeError(error, '4.01', 'application/json;odata.metadata=none')).toStrictEqual({
      status: 405,
      headers: {
        ...HEADERS,
        'odata-version': '4.01',
        'content-type': 'application/json',
        allow: 'GET, HEAD',
      },
      body: '{"error":{"code":"MethodNotAllowed","message":"No"}}',
    });
  });

  it('is its message for who prefers plain text', () => {
    const error = new GatewayError('InsertFailed', 'Failed to add a post.');
    expect(writeError(error, '4.0', 'text/plain, application/json;q=0.1')).toStrictEqual({
      status: 400,
      headers: { ...HEADERS, 'content-type': 'text/plain' },
      body: 'Failed to add a post.',
    });
  });
});
