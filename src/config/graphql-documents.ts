import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote, readChoice, type Variables } from './variables.ts';

/** Which documents GraphQL carries out. */
export interface GraphQLDocuments {
  /** Whether clients may send the hash of a document in its place once it is known. */
  readonly automatic: boolean;
  /** The only documents that are carried out, by their ids; undefined where there is no such list. */
  readonly allowed: ReadonlyMap<string, string> | undefined;
}

export function readGraphQLDocuments(variables: Variables, workingDirectory: string): GraphQLDocuments {
  return {
    automatic: readChoice(variables, 'GRAPHQL_PERSISTED_QUERIES') === 'on',
    allowed: readAllowed(variables, workingDirectory),
  };
}

/** A file as graphql-codegen and Relay's compiler write it: an object of documents by their ids. */
function readAllowed(
  variables: Variables,
  workingDirectory: string,
): ReadonlyMap<string, string> | undefined {
  const file = variables.get('GRAPHQL_DOCUMENTS');
  if (file === undefined) return undefined;
  const documents = textsIn(resolve(workingDirectory, file));
  if (documents === undefined) {
    const expected = 'a JSON file with an object of GraphQL documents by their ids';
    variables.reject(`GRAPHQL_DOCUMENTS must be ${expected}, but is ${quote(file)}`);
  }
  return documents;
}

function textsIn(path: string): ReadonlyMap<string, string> | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
    const entries = Object.entries(json).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return entries.length === Object.keys(json).length ? new Map(entries) : undefined;
  } catch {
    return undefined;
  }
}
