import { FetchClient } from '@odata2ts/http-client-fetch';
import { Channels, Condition } from '../dist/odata2ts/library/LendingModel';
import { LendingService } from '../dist/odata2ts/library/LendingService';

/** An app on the library: its service, as odata2ts makes it of `$metadata`. */
export function openLibrary(url: string, authorization: string) {
  return new LendingService(new FetchClient({ headers: { authorization } }), `${url}/odata`);
}

type Library = ReturnType<typeof openLibrary>;

/** The two cheapest books of a genre with the names of their authors, and how many books there are. */
export async function cheapestBooks(library: Library, text: string) {
  const { data } = await library.book().query((builder, book) =>
    builder
      .select('isbn', 'title', 'price')
      .filter(book.price.lt(15), book.title.contains(text))
      .expanding('author', (author) => author.select('lastName'))
      .orderBy(book.price.asc())
      .top(2)
      .count(),
  );
  return {
    count: data['@odata.count'],
    books: data.value.map(({ isbn, price, author }) => ({ isbn, price, author: author?.lastName })),
  };
}

/** The authors of a book that costs more. */
export async function dearAuthors(library: Library, price: number) {
  const { data } = await library
    .author()
    .query((builder, author) => builder.filter(author.books.any((book) => book.price.gt(price))));
  return data.value.map(({ lastName }) => lastName);
}

/** Adds an author and removes it. */
export async function addAndRemoveAuthor(library: Library) {
  const { data } = await library
    .author()
    .create({ firstName: 'Karin', lastName: 'Nyberg', languages: ['sv'] });
  const { status } = await library.author(data.id).delete();
  return { id: data.id, born: data.born, lastName: data.lastName, status };
}

/** Moves a copy to another shelf. */
export async function moveCopy(library: Library, isbn: string, copyNumber: number, shelf: string) {
  const copy = library.copy({ isbn, copyNumber });
  const { status } = await copy.patch({ shelf });
  const { data } = await copy.query();
  return { status, shelf: data.shelf };
}

/** A function of an entity, one of a collection, and one of the service. */
export async function callFunctions(library: Library) {
  const availability = await library.book('9783400000009').getAvailability();
  const due = await library.loan().dueBy({ date: '2026-05-11' });
  const statistics = await library.lendingStatistics({ from: '2026-01-01', to: '2026-01-08' });
  return {
    available: availability.data.available,
    due: due.data.value.map(({ id }) => id),
    statistics: statistics.data.value,
  };
}

/** An action of an entity, and one of the service. */
export async function callActions(library: Library, loanId: number) {
  const returned = await library.loan(loanId).return({ condition: Condition.worn });
  const reminders = await library.sendReminders({ dueBy: '2026-06-01', channels: Channels.Email });
  return { returned: returned.data.id, sent: reminders.data.sent };
}
