import type { JSHandle } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownName } from '../../support/own-name.ts';
import { useDemo } from '../support/demo.ts';
import { useAppServer } from './app-server.ts';
import { type Ui5, useUi5 } from './ui5-page.ts';

const demo = useDemo('library');
const app = useAppServer(demo);
const page = useUi5(app, demo);

/** The entities that the tests change, separate for each group. */
const CHANGED = {
  $auto: { copy: "Copy(ISBN='9783400000009',CopyNumber=1)", book: '9783400000009' },
  $direct: { copy: "Copy(ISBN='9783401379111',CopyNumber=1)", book: '9783401379111' },
} as const;

/** `$auto` packs changes into change sets of one multipart `$batch`; `$direct` sends each alone. */
describe.each(['$auto', '$direct'] as const)('the V4 model of UI5 with the group %s', (groupId) => {
  const changed = CHANGED[groupId];
  let ui5: JSHandle<Ui5>;
  beforeEach(async () => {
    ui5 = await page.openModel({ groupId });
  });

  /** The messages that UI5 shows, with their targets. */
  const messages = () =>
    ui5.evaluate(({ Messaging }) =>
      Messaging.getMessageModel()
        .getData()
        .map((message: { getMessage(): string; getTargets(): readonly string[] }) => [
          message.getMessage(),
          ...message.getTargets(),
        ]),
    );

  it('changes a property (PATCH), and reads again what depends on it', async () => {
    const before = app.seen.length;
    const place = ownName('B-');
    const shelf = await ui5.evaluate(
      async ({ model }, { path, other }) => {
        const copy = model
          .bindContext(`/${path}`, undefined, { $select: ['Shelf', 'Condition'] })
          .getBoundContext();
        await copy.requestObject();
        await copy.setProperty('Shelf', other);
        await copy.requestSideEffects(['Condition']);
        return copy.getProperty('Shelf');
      },
      { path: changed.copy, other: place },
    );
    expect(shelf).toBe(place);
    expect(app.seen.slice(before)).toStrictEqual([
      'GET /odata/$metadata',
      ...(groupId === '$auto'
        ? ['POST /odata/$batch', 'POST /odata/$batch', 'POST /odata/$batch']
        : [
            `GET /odata/${changed.copy}?$select=Condition,Shelf`,
            `PATCH /odata/${changed.copy}`,
            `GET /odata/${changed.copy}?$select=Condition`,
          ]),
    ]);
    expect(page.complaints).toStrictEqual([]);
  });

  it('sends the ETag with a change, and is told when another was faster', async () => {
    const refusal = await ui5.evaluate(
      async ({ model }, { book, subtitle }) => {
        const open = () => model.bindContext(`/Book('${book}')`).getBoundContext();
        const [mine, theirs] = [open(), open()];
        await Promise.all([mine.requestObject(), theirs.requestObject()]);
        await theirs.setProperty('Subtitle', subtitle);
        return mine.setProperty('Subtitle', 'Mine').then(String, ({ status }) => status);
      },
      { book: changed.book, subtitle: ownName('Theirs') },
    );
    expect(refusal).toBe(412);
    const [[told] = []] = await messages();
    expect(told).toBe('If-Match: the entity has changed in the meantime: read it again.');
  });

  it('creates an entity, which then has its key', async () => {
    const [path, created] = await ui5.evaluate(async ({ model }) => {
      const list = model.bindList('/Author');
      const author = list.create({ LastName: 'Nyberg', Languages: ['sv'], Born: '1950-01-01' });
      await author.created();
      return [author.getPath(), author.getObject()];
    });
    expect(created).toMatchObject({
      Id: expect.any(Number),
      FirstName: null,
      LastName: 'Nyberg',
      Born: '1950-01-01',
      Died: null,
      Languages: ['sv'],
    });
    expect(path).toBe(`/Author(${created.Id})`);
  });

  it('shows why a create is refused, at the properties that are wrong', async () => {
    await ui5.evaluate(async ({ model }) => {
      const author = model.bindList('/Author').create({ LastName: 'x'.repeat(51), Languages: ['swe'] });
      author.created()?.catch(() => undefined);
      await new Promise((resolve) => author.getBinding().attachEventOnce('createCompleted', resolve));
    });
    const path = expect.stringMatching(/^\/Author\(\$uid=[-\w]+\)\//);
    expect(await messages()).toStrictEqual([
      ['LastName: expected at most 50 characters, found 51.', path],
      ['Languages/0: expected text that matches ^[a-z]{2}$, found other text.', path],
    ]);
  });

  it('deletes an entity', async () => {
    const result = await ui5.evaluate(async ({ model }) => {
      const made = model.bindList('/Author').create({ LastName: 'Nyberg', Languages: ['sv'] });
      await made.created();
      const list = model.bindList('/Author', undefined, [], [], { $count: true });
      const authors = await list.requestContexts();
      const before = list.getLength();
      await authors.find((author) => author.getPath() === made.getPath())?.delete();
      return [before === authors.length, list.getLength() - before];
    });
    expect(result).toStrictEqual([true, -1]);
  });

  it('creates and deletes what is contained in an entity', async () => {
    const path = await ui5.evaluate(async ({ model }) => {
      const book = model.bindContext("/Book('9783401379111')").getBoundContext();
      const reviews = model.bindList('Reviews', book);
      await reviews.requestContexts();
      const review = reviews.create({ MemberId: '2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9', Rating: 5 });
      await review.created();
      const made = review.getPath();
      await review.delete();
      return made;
    });
    expect(path).toBe("/Book('9783401379111')/Reviews(2)");
  });

  it('changes a part of a singleton, where the API takes only the whole', async () => {
    const city = await ui5.evaluate(async ({ model }, name) => {
      const library = model.bindContext('/House').getBoundContext();
      await library.requestObject();
      await library.setProperty('Address/City', name);
      await library.requestRefresh();
      return library.requestProperty('Address/City');
    }, `Neustadt ${groupId}`);
    expect(city).toBe(`Neustadt ${groupId}`);
  });

  it('calls an action, after which the entity is shown as it left it', async () => {
    const [path, ...result] = await ui5.evaluate(async ({ model }) => {
      // Of those that reminders are not sent for.
      const parameters = { $filter: 'ReturnedAt eq null and DueDate gt 2026-05-20' };
      const [lent] = await model.bindList('/Loan', undefined, [], [], parameters).requestContexts(0, 1);
      const loan = model.bindContext(lent?.getPath() ?? '').getBoundContext();
      const before = await loan.requestProperty('ReturnedAt');
      const returned = await model
        .bindContext('Library.Return(...)', loan)
        .setParameter('Condition', 'worn')
        .invoke();
      return [
        loan.getPath(),
        before,
        returned !== undefined && 'getPath' in returned && returned.getPath(),
        loan.getProperty('ReturnedAt'),
      ];
    });
    expect(result).toStrictEqual([null, path, expect.stringMatching(/Z$/)]);
  });

  it('calls an action of the service', async () => {
    const sent = await ui5.evaluate(async ({ model }) => {
      const remind = model.bindContext('/SendReminders(...)');
      await remind.setParameter('DueBy', '2026-05-20').setParameter('Channels', 'Email,Text').invoke();
      return remind.getBoundContext().getProperty('Sent');
    });
    expect(sent).toBe(8);
  });

  it('shows why an action is refused', async () => {
    const refusal = await ui5.evaluate(async ({ model }) => {
      const giveBack = model.bindContext(
        'Library.Return(...)',
        model.bindContext('/Loan(1)').getBoundContext(),
      );
      return giveBack.invoke().then(String, ({ status }) => status);
    });
    expect(refusal).toBe(409);
    expect(await messages()).toStrictEqual([
      [
        'This conflicts with what already exists: it may have changed in the meantime, or the key may be taken.',
        '',
      ],
    ]);
  });
});
