import { expect, it } from 'vitest';
import { useGuardedBatch, userOf } from './guarded-batch.ts';
import { NOTES_DOCUMENT, notesApi } from './notes.ts';

const batch = useGuardedBatch(NOTES_DOCUMENT, notesApi);

const post = (id: string, url: string, text: string, atomicityGroup?: string) => ({
  id,
  method: 'POST',
  url,
  body: { Text: text },
  atomicityGroup,
});

it('asks for the permission of each request', async () => {
  const requests = [post('1', 'Note', 'x'), { id: '2', method: 'GET', url: 'Note' }, post('3', 'Label', 'x')];
  expect(await batch(userOf('Writer'), requests)).toStrictEqual({
    status: 200,
    statuses: [201, 200, 403],
    asked: ['POST /notes', 'GET /notes'],
  });
  expect(await batch(userOf('Adder'), requests)).toStrictEqual({
    status: 200,
    statuses: [204, 403, 403],
    asked: ['POST /notes'],
  });
});

it('sends nothing of a change set where one member is not permitted', async () => {
  const update = { id: '2', method: 'PATCH', url: '$1', body: { Text: 'y' }, atomicityGroup: 'g' };
  for (const forbidden of [post('2', 'Label', 'x', 'g'), update]) {
    expect(await batch(userOf('Writer'), [post('1', 'Note', 'x', 'g'), forbidden])).toStrictEqual({
      status: 200,
      statuses: [424, 403],
      asked: [],
    });
  }
});

it('undoes only what the user may delete', async () => {
  const requests = [post('1', 'Note', 'x', 'g'), post('2', 'Note', 'fail', 'g')];
  const { asked } = await batch(userOf('Writer'), requests);
  expect(asked).toStrictEqual(['POST /notes', 'POST /notes', 'DELETE /notes/10']);
  expect((await batch(userOf('Adder'), requests)).asked).toStrictEqual(['POST /notes', 'POST /notes']);
});

it('is for those who have logged in', async () => {
  const { status, asked } = await batch({ kind: 'anonymous' }, [post('1', 'Note', 'x')]);
  expect([status, asked]).toStrictEqual([401, []]);
});
