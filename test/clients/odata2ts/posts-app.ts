import { FetchClient } from '@odata2ts/http-client-fetch';
import { PostsService } from '../dist/odata2ts/posts/PostsService';

/** An app on posts: its service, as odata2ts makes it of `$metadata`. */
export function openPosts(url: string, authorization: string) {
  return new PostsService(new FetchClient({ headers: { authorization } }), `${url}/odata`);
}

type Posts = ReturnType<typeof openPosts>;

/** Headlines of a user's posts. */
export async function headlines(posts: Posts, user: number) {
  const { data } = await posts
    .post()
    .query((builder, post) =>
      builder.select('id', 'title').filter(post.userId.eq(user)).orderBy(post.title.desc()).top(2),
    );
  return data.value.map(({ id, title }) => ({ id, title }));
}

/** One post. */
export async function readPost(posts: Posts, id: string) {
  return (await posts.post(id).query()).data;
}

/** Adds a post. */
export async function addPost(posts: Posts, title: string) {
  return (await posts.post().create({ userId: 1, title })).data;
}
