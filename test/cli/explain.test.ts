import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { SHOP_DOCUMENT } from '../engine/plan/shop.ts';
import { createProject } from '../support/temporary-project.ts';
import { outcome } from './command.ts';

const LIBRARY = join(import.meta.dirname, '../../examples/library/openapi/library.yaml');

describe('duogate explain', () => {
  it.each<[string, readonly string[]]>([
    ["Maker?$filter=Id eq 'm7'", ['Plan: keys m7']],
    [
      'Part?$filter=Id in (1,2,3)',
      ['Plan: keys 1, 2, 3', 'Once its parameters have proved what they do: ids ids=[1,2,3]'],
    ],
    [
      "Part/$count?$filter=MakerId eq 'm1'",
      ['Plan: list', 'Once its parameters have proved what they do: list maker_id=m1 for its total'],
    ],
    ['Part?$filter=Weight gt 3&$top=2', ['Plan: list until 2']],
    ['Part', ['Plan: list', 'The answer may begin with the first page of the list.']],
    [
      "Part?$filter=Maker/Country eq 'DE'&$top=2",
      [
        'Plan: list',
        'If that takes fewer calls, the condition on Maker is asked first, and its keys are values of MakerId: list country=DE',
      ],
    ],
    ['Part(1)', ['One read by key.']],
  ])('prints the plan of a URL: %s', async (url, lines) => {
    const file = createProject({ 'shop.yaml': stringify(SHOP_DOCUMENT) }).path('shop.yaml');
    const { code, stdout, stderr } = await outcome(['explain', url, file]);
    expect([code, stdout, stderr]).toStrictEqual([0, `${lines.join('\n')}\n`, '']);
  });

  it('knows no set that the role does not see', async () => {
    const shown = await outcome(['explain', 'Loan', LIBRARY, '--role', 'Librarian']);
    const hidden = await outcome(['explain', 'Loan', LIBRARY, '--role', 'User']);
    expect([shown.code, hidden.code]).toStrictEqual([0, 1]);
  });
});
