import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { odata, upstream } = useLibrary();

const FULL = '$format=application/json;odata.metadata=full';
const MEMBER = '2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9';

describe('operations that full metadata names (JSON Format, 16 and 17)', () => {
  it('are those of the collection, beside its entities’ own', async () => {
    const [, text] = await odata(`GET Loan?$top=1&$select=Fine,Library.Return&$count=true&${FULL}`);
    const { value, ...collection } = JSON.parse(text);
    expect(collection).toStrictEqual({
      '@odata.context': '~/$metadata#Loan(Fine,Library.Return)',
      '@odata.count': expect.any(Number),
      '#Library.DueBy(Date)': {
        title: 'Lists the open loans that are due by a date',
        target: 'Loan/Library.DueBy(Date=@Date)',
      },
    });
    expect(value[0]['#Library.Return']).toStrictEqual({
      title: 'Takes a copy back',
      target: 'Loan(1)/Library.Return',
    });
  });

  it('are those that $select names (Part 2, 5.1.4)', async () => {
    const namesOf = async (select: string) => {
      const [, text] = await odata(`GET Loan(1)?$select=${select}&${FULL}`);
      return Object.keys(JSON.parse(text)).filter((name) => name.startsWith('#'));
    };
    expect(await namesOf('Fine')).toStrictEqual([]);
    expect(await namesOf('Library.*')).toStrictEqual(['#Library.Return']);
  });

  it('can be called at their targets', async () => {
    const target = 'Loan/Library.DueBy(Date=@Date)?@Date=2026-05-11';
    expect((await odata(`GET ${target}&$select=Id`))[1]).toBe(
      '{"@odata.context":"~/$metadata#Loan(Id)","value":[{"Id":97},{"Id":98}]}',
    );
  });

  it('are not named where the format has less, or there are none', async () => {
    expect((await odata('GET Loan?$top=0'))[1]).toBe('{"@odata.context":"~/$metadata#Loan","value":[]}');
    expect((await odata(`GET Author?$top=0&${FULL}`))[1]).toBe(
      '{"@odata.context":"~/$metadata#Author","value":[]}',
    );
  });
});

describe('a PUT (Part 1, 11.4.4)', () => {
  it('sets what it leaves out to its default', async () => {
    const put = (active: string) =>
      odata(
        `PUT Member(${MEMBER})`,
        `{"FirstName":"A","LastName":"B","Pin":"1234","Channels":"Email"${active}}`,
      );
    const active = async () => JSON.parse(await upstream(`/members/${MEMBER}`)).active;
    expect(await put(',"Active":false')).toStrictEqual([204, '']);
    expect(await active()).toBe(false);
    await put('');
    expect(await active()).toBe(true);
  });
});

describe('an operation that is bound to a collection', () => {
  it.each(['Loan/$filter(Id%20gt%2098)', `Member(${MEMBER})/Loans`, 'Loan/Library.DueBy(Date=2026-05-11)'])(
    'is not called for all of them where %s leads to some',
    async (path) => {
      const [status, text] = await odata(`GET ${path}/Library.DueBy(Date=2026-05-11)`);
      const { message, target } = JSON.parse(text).error;
      expect([status, message, target]).toStrictEqual([
        501,
        '"DueBy" at this place is not implemented.',
        'DueBy',
      ]);
    },
  );

  it('gives a collection that can be filtered and counted', async () => {
    expect((await odata('GET Loan/Library.DueBy(Date=2026-05-11)/$filter(Id%20gt%2097)/$count'))[1]).toBe(
      '1',
    );
  });
});
