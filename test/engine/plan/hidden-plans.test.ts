import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { type RequestCost, serverTiming } from '../../../src/contract/request-cost.ts';
import { userWith } from '../../auth/faces.ts';
import { outcome } from '../../cli/command.ts';
import { createProject } from '../../support/temporary-project.ts';
import { SHOP_DOCUMENT, serveShop } from './shop.ts';

const { schemas } = SHOP_DOCUMENT.components;

/** A clerk sees parts and no makers. */
const GRANTED = {
  ...SHOP_DOCUMENT,
  components: {
    schemas: {
      Maker: { ...schemas.Maker, 'x-odata': { grants: { Boss: ['View'] } } },
      Part: { ...schemas.Part, 'x-odata': { grants: { Boss: ['View'], Clerk: ['View'] } } },
      Box: { ...schemas.Box, 'x-odata': { grants: { Boss: ['View'] } } },
    },
  },
};

/** The names of what a clerk may not see; `MakerId` is a property of a part. */
const HIDDEN = /\b(?:Maker|makers?|Box|boxes)\b/;

describe('what a query costs', () => {
  it.each([
    'Part?$filter=Weight gt 3&$top=2',
    "Part?$filter=MakerId eq 'm7'",
    "Part?$filter=Maker/Name eq 'x'&$top=2",
    'Part?$filter=Box/Label eq null',
    'Part?$expand=Maker',
    'Maker',
    'Maker?$filter=Parts/any(p:p/Weight gt 3)',
    '$crossjoin(Part,Maker)',
  ])('is explained without the sets that a role does not see: %s', async (url) => {
    const file = createProject({ 'shop.yaml': stringify(GRANTED) }).path('shop.yaml');
    const hidden = await outcome(['explain', url, file, '--role', 'Clerk']);
    // Names of the query itself may stand in a message about it.
    const other = `${hidden.stdout}${hidden.stderr}`.split(/"|'/).filter((text) => !url.includes(text));
    expect(other.join(' ').replaceAll(file, '')).not.toMatch(HIDDEN);
    const shown = await outcome(['explain', url, file, '--role', 'Boss']);
    expect(shown.code).toBe(0);
  });

  it('says nothing else to a role that does not see a set than to one for which there is none', async () => {
    const project = createProject({ 'shop.yaml': stringify(GRANTED) });
    const answers = await Promise.all(
      ["Part?$filter=Maker/Name eq 'x'", "Part?$filter=Nope1/Name eq 'x'"].map(async (url) => {
        const { code, stderr } = await outcome([
          'explain',
          url,
          project.path('shop.yaml'),
          '--role',
          'Clerk',
        ]);
        return [code, stderr.replaceAll(/Maker|Nope1/g, '…')];
      }),
    );
    expect(answers[0]).toStrictEqual(answers[1]);
  });

  it('is shown in numbers alone, to those who may see it', async () => {
    const shop = await serveShop(onTestFinished);
    const { headers } = await shop.ask("Part?$filter=Maker/Name eq 'Maker 7'&$top=2");
    expect(headers.get('server-timing')).toMatch(
      /^calls;desc="\d+", pages;desc="\d+", rows;desc="\d+", waiting;dur=[\d.]+$/,
    );
    const cost = { calls: 1, pages: 1, rows: 1 } as unknown as RequestCost;
    expect(serverTiming(cost, userWith('Clerk'))).toBeUndefined();
  });
});
