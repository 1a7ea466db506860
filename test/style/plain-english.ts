import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Checks the comments and the declared names of the repository for plain technical English: `npm run lint`. Prints each
 * violation with its position, and exits with 1 if there are any.
 */

/** A rule for one kind of text, with the advice for its author. */
interface Rule {
  readonly advice: string;
  readonly applies: 'opening' | 'comment' | 'name';
  readonly pattern: RegExp;
}

/** A violation that is accepted, because the text is right as it is. */
interface Exception {
  readonly file: string;
  readonly text: string;
  readonly reason: string;
}

interface Violation {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly advice: string;
}

/** The examples that these rules are made of may not be violations themselves. */
const SELF = 'test/style/plain-english.ts';

/** `opening` is the first line of a doc comment. */
const RULES: readonly Rule[] = [
  {
    advice:
      'begin with a noun or a verb: "The tables of …", "Returns …", "Time that …", "Maximum number of …"',
    applies: 'opening',
    pattern: /^(?:What|Where|Who|Whom|Whose|Which|How|Those|Whoever|Whatever|Wherever)\b/,
  },
  {
    advice: 'name the subject of the sentence',
    applies: 'opening',
    pattern: /^(?:It|They|This|These)\b/,
  },
  {
    advice: 'name the client, the caller, the user, the operator, the administrator or the gateway',
    applies: 'comment',
    pattern: /\b(?:whoever|somebody|nobody|anybody|whatever is|he|his|him)\b/i,
  },
  {
    advice: 'report, log, return, reject, show or distinguish',
    applies: 'comment',
    pattern: /\b(?:told|tells)\b/i,
  },
  {
    advice: 'is not …, has no …, there is no …',
    applies: 'comment',
    pattern: /\b(?:is|are|be|was|were) none\b/i,
  },
  {
    advice: 'depends on, represents, is, follows from',
    applies: 'comment',
    pattern: /\b(?:hangs? on|stands? for|goes? by|comes? to (?!an? end))/i,
  },
  {
    advice: 'internal, their own, the gateway’s',
    applies: 'comment',
    pattern: /\bof (?:ours|theirs)\b/i,
  },
  {
    advice: 'requested, declared, reported, mismatch, next, strategies: the words of the standards',
    applies: 'name',
    pattern:
      /(?:^|[a-z_])(?:asked|told|said|wishes|misfit|onward|goesOn|tells|wayOf|waysOf|madeOf|placeOf|standsFor)(?:[A-Z_]|$)/i,
  },
];

/** `Whether` introduces a predicate only, such as `isX` or `hasX`. */
const PREDICATE =
  /^(?:is|has|can|may|should|allows|needs|are|does|was|matches|includes|contains|takes|supports|accepts|[a-z]+s)(?:[A-Z]|$)/;

const EXCEPTIONS: readonly Exception[] = [];

const ROOT = join(import.meta.dirname, '../..');

function violationsIn(file: string): readonly Violation[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const comment = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s?(.*?)(?:\*\/)?\s*$/.exec(line)?.[1]?.trim();
    const name = /\b(?:function|const|let|class|interface|type)\s+([A-Za-z_]\w*)/.exec(line)?.[1];
    const text = comment ?? name;
    if (text === undefined || text === '') return [];
    const isOpening = /^\s*\/\*\*/.test(line) || /^\s*\/\*\*\s*$/.test(lines[index - 1] ?? '');
    const advice = RULES.filter(({ applies, pattern }) => {
      if (applies === 'name') return comment === undefined && pattern.test(text);
      return comment !== undefined && (applies === 'comment' || isOpening) && pattern.test(text);
    }).map((rule) => rule.advice);
    const isMisused = isOpening && /^Whether\b/.test(text) && !PREDICATE.test(nameBelow(lines, index));
    if (isMisused) advice.push('"True if …" or "Returns true for …": what follows is not a predicate');
    return advice.map((each) => ({ file, line: index + 1, text, advice: each }));
  });
}

/** The name that the code below a comment declares. */
function nameBelow(lines: readonly string[], index: number): string {
  const code = lines.slice(index + 1).find((line) => !/^\s*(?:\*|\/\/)/.test(line)) ?? '';
  const declaration = code.replace(
    /^\s*(?:(?:export|default|async|function|const|readonly|get|static)\s+)*/,
    '',
  );
  return /^#?([A-Za-z_]\w*)/.exec(declaration)?.[1] ?? '';
}

function isExcepted({ file, text }: Violation): boolean {
  return EXCEPTIONS.some((exception) => exception.file === file && text.includes(exception.text));
}

const files = execFileSync('git', ['ls-files', 'src', 'test', 'examples'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && file !== SELF);
const violations = files.flatMap(violationsIn).filter((violation) => !isExcepted(violation));
for (const { file, line, text, advice } of violations) {
  console.error(`${file}:${line}: ${text}\n    ${advice}`);
}
if (violations.length > 0) {
  console.error(
    `${violations.length} comments or names are not plain English: CONTRIBUTING.md, "How code is written here".`,
  );
  process.exitCode = 1;
}
