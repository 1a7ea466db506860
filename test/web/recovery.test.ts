import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../auth/account-client.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { freePort } from '../support/free-port.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { ownAddress } from '../support/own-name.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { axeFindings, HAS_BROWSER, useBrowser } from './browser.ts';

const browser = useBrowser();
const OTHER_PASSWORD = 'cobalt lantern orchard';
let url: string;
let mail: MailServer;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  mail = await startMailServer();
  atEndOfFile(() => mail.close());
  const project = createProject(
    {
      'notes.yaml': documentOf('Note'),
      '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', 'http://127.0.0.1:9')}`,
    },
    atEndOfFile,
  );
  // Messages lead to the public URL, which has to be known before the gateway listens.
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  await serveProject(
    project,
    {
      ...(await createProjectAccounts(project, {})),
      PORT: String(port),
      BASE_URL: url,
      SMTP_URL: mail.url,
      MAIL_FROM: 'duogate@example.com',
    },
    atEndOfFile,
  );
});

describe.skipIf(!HAS_BROWSER)('by mail', () => {
  it('somebody confirms the address, and chooses a new password later', async () => {
    const email = ownAddress('anna');
    const { page, offences } = await browser.open(url);
    await page.goto('/app/sign-up');
    await page.getByLabel('Name').fill('Anna');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);

    const confirmation = await mail.next(email);
    await page.goto('/app/sign-in');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('The e-mail address or password is incorrect.').waitFor();
    await page.getByText('Just signed up?').waitFor();
    await mail.next(email);

    await page.goto(confirmation.link ?? '');
    await page.getByRole('heading', { name: 'Confirm your address' }).waitFor();
    await page.getByLabel('Password').fill(OTHER_PASSWORD);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').getByText('The password is not the one').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('status').getByText('Your address is confirmed.').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);

    // The page of the confirmation has a link of the same name, and the one to sign in at the same field.
    await page.getByRole('link', { name: 'Sign in', exact: true }).last().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('status').getByText('the link is on its way').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);

    await page.goto((await mail.next(email)).link ?? '');
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await page.getByLabel('New password').fill(OTHER_PASSWORD);
    await page.getByRole('button', { name: 'Choose the password' }).click();
    await page.getByRole('status').getByText('The password has been changed.').waitFor();
    expect(await axeFindings(page)).toStrictEqual([]);

    await page.goto('/app/sign-in?return=/app/account');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(OTHER_PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(email).first().waitFor();
    expect(offences).toStrictEqual([]);
  });
});
