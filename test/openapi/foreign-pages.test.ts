import { describe, expect, it } from 'vitest';
import { createTestList } from './foreign-list.ts';
import { servePaged, things } from './paged-list.ts';

/** Envelopes and parameters of documents in other languages. */
const LISTS: readonly (readonly [string, Parameters<typeof createTestList>[0]])[] = [
  [
    'Spanish: a URL within the result',
    { path: 'facturas', holder: 'resultado', parameters: {}, members: { siguiente: 'url', total: 'total' } },
  ],
  [
    'Spanish: page numbers',
    {
      path: 'facturas',
      parameters: { página: 'page', tamaño_de_página: 'size' },
      members: { total_elementos: 'total' },
    },
  ],
  [
    'Spanish: an offset',
    {
      path: 'facturas',
      holder: 'datos',
      parameters: { desplazamiento: 'offset', limite: 'size' },
      members: { total: 'total' },
    },
  ],
  [
    'Spanish: a cursor',
    {
      path: 'facturas',
      holder: 'paquete',
      parameters: { marcador: 'cursor' },
      members: { marcador_siguiente: 'cursor' },
    },
  ],
  [
    'German: page numbers',
    {
      path: 'rechnungen',
      parameters: { seite: 'page', seitengroesse: 'size' },
      members: { gesamtanzahl: 'total' },
    },
  ],
  [
    'German: a URL beside the list',
    { path: 'rechnungen', parameters: {}, members: { naechsteSeite: 'url', anzahlGesamt: 'total' } },
  ],
  [
    'Portuguese: page numbers and a flag',
    { path: 'faturas', parameters: { pagina: 'page', tamanho: 'size' }, members: { tem_mais: 'more' } },
  ],
  [
    'French: page numbers',
    {
      path: 'factures',
      holder: 'reponse',
      parameters: { page: 'page', limite: 'size' },
      members: { nombre_total: 'total' },
    },
  ],
  [
    'French: a URL',
    { path: 'factures', holder: 'resultat', parameters: {}, members: { page_suivante: 'url' } },
  ],
  [
    'Italian: page numbers',
    { path: 'fatture', parameters: { pagina: 'page', per_pagina: 'size' }, members: { totale: 'total' } },
  ],
  [
    'an object of any name around the list',
    { path: 'rachunki', holder: 'wynik', parameters: {}, members: { next: 'url', total: 'total' } },
  ],
];

describe('a list in pages of a document in another language', () => {
  it.each(LISTS)('is read to its end: %s', async (_, list) => {
    const { ask } = await createTestList(list);
    expect(await ask('$orderby=Id&$count=true')).toStrictEqual({
      status: 200,
      count: 45,
      last: 45,
      rows: 45,
    });
    expect(await ask('$top=30')).toMatchObject({ status: 200, rows: 30 });
  });

  it.each(LISTS)('is followed by next links: %s', async (_, list) => {
    const { pages } = await createTestList(list);
    expect((await pages()).length).toBeGreaterThan(2);
  });
});

describe('a filter of a document in another language', () => {
  const integer = { type: 'integer' };

  it.each([
    ['bounds of a value', 'minimo', 'maximo'],
    ['bounds of a value in German', 'untergrenze', 'obergrenze'],
  ])('is no size of pages: %s', async (_, least, most) => {
    const list = await servePaged(
      { parameters: { [least]: integer, [most]: integer }, answer: {} },
      ({ number }, reply) => reply.json({ items: things(120).slice(number(least, 0), number(most, 120)) }),
    );
    expect(await list.ask('Thing?$top=3')).toStrictEqual({ status: 200, keys: '1-3' });
    expect(list.queries()).toStrictEqual(['']);
  });

  it.each([
    ['inicio', 'fin'],
    ['debut', 'fin'],
    ['beginn', 'ende'],
    ['inizio', 'fine'],
  ])('is no offset where another one ends the range: %s, %s', async (start, end) => {
    const paging = { page: { ...integer, default: 1 }, limit: { ...integer, maximum: 50 } };
    const list = await servePaged(
      { parameters: { ...paging, [start]: integer, [end]: integer }, answer: { total: integer } },
      ({ number }, reply) => {
        const rows = things(120).slice(number(start, 0), number(end, 120));
        const [page, limit] = [number('page', 1), number('limit', 50)];
        reply.json({ items: rows.slice((page - 1) * limit, page * limit), total: rows.length });
      },
    );
    const counted = { status: 200, count: 120 };
    expect(await list.ask('Thing?$orderby=Id&$count=true')).toStrictEqual({ ...counted, keys: '1-120' });
    expect(await list.ask('Thing?$skip=55&$top=10&$count=true')).toStrictEqual({ ...counted, keys: '56-65' });
    expect(list.queries().filter((query) => query.includes(start))).toStrictEqual([]);
  });
});
