import { get, post, query, type SampleCall } from './sample-call.ts';

export const POSTS_CALLS: readonly SampleCall[] = [
  get('A list', '/odata/Post?$top=2'),
  get('A filter', '/odata/Post?$filter=UserId eq 3&$select=Id,Title&$orderby=Title desc'),
  post('A create', '/odata/Post', { UserId: 1, Title: 'Hello' }),
  query('The same data by GraphQL', '{ posts { id title } }'),
];
