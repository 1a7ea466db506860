import type { Behaviour } from '../support/stand-in-upstream.ts';

const WORDS = ['amber', 'birch', 'cedar', 'dune', 'ember'];

/** More posts than a page of a list has. Every fifth title has the same word; the last post has no title. */
export const MANY_POSTS = Array.from({ length: 75 }, (_, index) => ({
  userId: (index % 3) + 1,
  id: index + 1,
  title: index === 74 ? null : `${WORDS[index % WORDS.length]} no. ${index + 1}`,
  body: `The text\nof post ${index + 1}.`,
}));

/** Lists and reads {@link MANY_POSTS}; answers a POST as the real posts API does. */
export const manyPosts: Behaviour = ({ method, target, body }, reply) => {
  const post = MANY_POSTS.find(({ id }) => target === `/posts/${id}`);
  if (method === 'POST' && target === '/posts') {
    reply.send(201, JSON.stringify({ ...JSON.parse(body.toString()), id: 101 }));
  } else if (target === '/posts') reply.json(MANY_POSTS);
  else if (post !== undefined) reply.json(post);
  else reply.send(404, '{}');
};
