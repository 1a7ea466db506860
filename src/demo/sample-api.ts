import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { ADMINISTRATOR, USER } from '../contract/principal.ts';
import { LIBRARY_CALLS } from './library-calls.ts';
import { get, post, query, type SampleCall } from './sample-call.ts';
import type { SampleName } from './sample-names.ts';
import type { SampleUpstream } from './sample-server.ts';
import { startSampleUpstream } from './sample-upstream.ts';

/** A sample API of the gateway. */
export interface SampleApi {
  readonly name: SampleName;
  /** Its project file, relative to the repository. */
  readonly meshConfig: string;
  /** The variable with the upstream's URL in the project file. */
  readonly urlVariable: string;
  /** A query for a browser, relative to the service root. */
  readonly query: string;
  readonly calls: readonly SampleCall[];
  /** The roles that may make the calls and register APIs. */
  readonly roles: readonly string[];
  readonly start: () => Promise<SampleUpstream>;
}

const POSTS_CALLS: readonly SampleCall[] = [
  get('A list', '/odata/Post?$top=2'),
  get('A filter', '/odata/Post?$filter=UserId eq 3&$select=Id,Title&$orderby=Title desc'),
  post('A create', '/odata/Post', { UserId: 1, Title: 'Hello' }),
  query('The same data by GraphQL', '{ posts { id title } }'),
];

const POSTS: SampleApi = {
  name: 'posts',
  meshConfig: '.meshrc.yaml',
  urlVariable: 'UPSTREAM_URL',
  query: 'Post?$filter=contains(Title,%27garden%27)&$orderby=Title',
  calls: POSTS_CALLS,
  roles: [USER, ADMINISTRATOR],
  start: () => startSampleUpstream(),
};

const LIBRARY: SampleApi = {
  name: 'library',
  meshConfig: 'examples/library/.meshrc.yaml',
  urlVariable: 'LIBRARY_URL',
  query: 'Book?$filter=contains(Title,%27Harbour%27)&$orderby=Title',
  calls: LIBRARY_CALLS,
  roles: [USER, 'Librarian', ADMINISTRATOR],
  start: () => startLibraryUpstream(),
};

export const SAMPLE_APIS: Readonly<Record<SampleName, SampleApi>> = { posts: POSTS, library: LIBRARY };
