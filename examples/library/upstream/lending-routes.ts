import { randomUUID } from 'node:crypto';
import { amount, centsOf } from './exact-json.ts';
import { created, found, type LibraryAnswer, type LibraryRequest, type Route } from './exchange.ts';
import { notFound, nullable, Problem, readBody, record, withDefault } from './readers.ts';
import {
  addDays,
  copyKey,
  dayOf,
  daysBetween,
  daysOf,
  type Holdings,
  type Loan,
  type Member,
  nextNumber,
  openLoan,
  readChannels,
  readCondition,
  readDate,
  readGenre,
  readHouse,
  readNewLoan,
  readNewMember,
  timestamp,
} from './records.ts';

/** The house, its members, and what they borrow. */
export const LENDING_ROUTES: readonly Route[] = [
  ['GET /library', ({ holdings }) => found(holdings.house)],
  ['PUT /library', replaceHouse],
  ['GET /members', ({ holdings }) => found([...holdings.members.values()].map(withoutPin))],
  ['POST /members', createMember],
  ['GET /members/{id}', (request) => found(withoutPin(memberAt(request)))],
  ['PATCH /members/{id}', updateMember],
  ['GET /members/{id}/loans', listLoansOfMember],
  ['GET /loans', ({ holdings }) => found([...holdings.loans.values()])],
  ['POST /loans', createLoan],
  ['GET /loans/due', listLoansDue],
  ['GET /loans/{id}', (request) => found(loanAt(request))],
  ['POST /loans/{id}/return', returnLoan],
  ['GET /statistics', countLoans],
  ['POST /reminders', sendReminders],
];

function replaceHouse({ holdings, json }: LibraryRequest): LibraryAnswer {
  holdings.house = readBody(readHouse, json());
  return found(holdings.house);
}

function withoutPin({ pin, ...shown }: Member): Omit<Member, 'pin'> {
  return shown;
}

function memberAt({ holdings, path: [id = ''] }: LibraryRequest): Member {
  const member = holdings.members.get(id.toLowerCase());
  if (member === undefined) throw notFound(`member ${id}`);
  return member;
}

function createMember({ holdings, json }: LibraryRequest): LibraryAnswer {
  const body = readBody(readNewMember, json());
  const member = { ...body, id: randomUUID(), joined: dayOf(timestamp(holdings.now())) };
  holdings.members.set(member.id, member);
  return created(withoutPin(member), `/members/${member.id}`);
}

/** RFC 7396: what is not sent stays as it is. Names stay in any case. */
function updateMember(request: LibraryRequest): LibraryAnswer {
  const member = memberAt(request);
  const { first_name, last_name } = member;
  const changed = request.json();
  const body = readBody(readNewMember, { ...member, ...(typeof changed === 'object' && changed) });
  const updated = { ...member, ...body, first_name, last_name };
  request.holdings.members.set(member.id, updated);
  return found(withoutPin(updated));
}

function listLoansOfMember(request: LibraryRequest): LibraryAnswer {
  const { id } = memberAt(request);
  return found([...request.holdings.loans.values()].filter((loan) => loan.member_id === id));
}

function loanAt({ holdings, path: [id = ''] }: LibraryRequest): Loan {
  const loan = holdings.loans.get(Number(id));
  if (loan === undefined || String(loan.id) !== id) throw notFound(`loan ${id}`);
  return loan;
}

function createLoan({ holdings, json }: LibraryRequest): LibraryAnswer {
  const body = readBody(readNewLoan, json());
  const member = holdings.members.get(body.member_id);
  if (member === undefined) throw new Problem(422, `There is no member ${body.member_id}.`);
  if (!member.active) throw new Problem(422, `Member ${member.id} is not active.`);
  if (!holdings.copies.has(copyKey(body))) throw new Problem(422, `There is no copy ${copyKey(body)}.`);
  if (openLoan(holdings, body) !== undefined) throw new Problem(409, 'The copy is on loan.');
  const lent_at = timestamp(holdings.now());
  const due = addDays(dayOf(lent_at), daysOf(body.period));
  const id = nextNumber(holdings.loans);
  const loan = { ...body, id, lent_at, 'due-date': due, returned_at: null, fine: amount(0) };
  holdings.loans.set(id, loan);
  return created(loan, `/loans/${id}`);
}

const FINE_PER_DAY = 20;
const readReturn = record({ condition: nullable(readCondition) });

/** Being late never costs more than the book itself. */
function returnLoan(request: LibraryRequest): LibraryAnswer {
  const { holdings, bytes, json } = request;
  const loan = loanAt(request);
  const { condition } = readBody(readReturn, bytes.length === 0 ? {} : json());
  if (loan.returned_at !== null) throw new Problem(409, `Loan ${loan.id} came back at ${loan.returned_at}.`);
  const returned_at = timestamp(holdings.now());
  const late = Math.max(0, daysBetween(loan['due-date'], dayOf(returned_at)));
  const price = holdings.books.get(loan.ISBN)?.price ?? 0;
  const returned = { ...loan, returned_at, fine: amount(Math.min(late * FINE_PER_DAY, centsOf(price))) };
  holdings.loans.set(loan.id, returned);
  const copy = holdings.copies.get(copyKey(loan));
  if (copy !== undefined && condition !== null) holdings.copies.set(copyKey(copy), { ...copy, condition });
  return found(returned);
}

function loansDueBy({ loans }: Holdings, date: string): readonly Loan[] {
  return [...loans.values()].filter((loan) => loan.returned_at === null && loan['due-date'] <= date);
}

function listLoansDue({ holdings, query }: LibraryRequest): LibraryAnswer {
  const { date } = readBody(record({ date: readDate }), Object.fromEntries(query));
  return found(loansDueBy(holdings, date));
}

const readStatistics = record({ from: readDate, to: nullable(readDate), genre: nullable(readGenre) });

function countLoans({ holdings, query }: LibraryRequest): LibraryAnswer {
  const body = readBody(readStatistics, Object.fromEntries(query));
  const to = body.to ?? dayOf(timestamp(holdings.now()));
  const lent = [...holdings.loans.values()].filter(
    ({ lent_at }) => dayOf(lent_at) >= body.from && dayOf(lent_at) <= to,
  );
  const byGenre = Map.groupBy(lent, ({ ISBN }) => holdings.books.get(ISBN)?.genre);
  const entries = [...byGenre]
    .filter(([genre]) => genre !== undefined && (body.genre === null || genre === body.genre))
    .map(([genre, loans]) => {
      const cents = loans.reduce((sum, { fine }) => sum + centsOf(fine), 0);
      return { genre, loans: loans.length, fines: amount(cents) };
    });
  return found(entries.toSorted((a, b) => b.loans - a.loans));
}

const readReminders = record({ 'due-by': readDate, channels: withDefault(nullable(readChannels), null) });

/** Returns the members to remind, without sending anything. Without channels, each member's own are used. */
function sendReminders({ holdings, json }: LibraryRequest): LibraryAnswer {
  const { 'due-by': date, channels } = readBody(readReminders, json());
  const late = new Set(loansDueBy(holdings, date).map(({ member_id }) => member_id));
  const reached = [...holdings.members.values()].filter(
    (member) => late.has(member.id) && (member.channels & (channels ?? 7)) !== 0,
  );
  return found({ sent: reached.length, members: reached.map(({ id }) => id) });
}
