import { type Browser, chromium, type JSHandle, type Page } from 'playwright-core';
import type Messaging from 'sap/ui/core/Messaging';
import type Filter from 'sap/ui/model/Filter';
import type ODataModel from 'sap/ui/model/odata/v4/ODataModel';
import type Sorter from 'sap/ui/model/Sorter';
import { afterAll, beforeAll } from 'vitest';
import { EXECUTABLE } from '../support/chromium.ts';
import type { Demo } from '../support/demo.ts';
import type { AppServer } from './app-server.ts';

/** The parts of UI5 that an app uses, and its model of the service. */
export interface Ui5 {
  readonly model: ODataModel;
  readonly Filter: typeof Filter;
  readonly Sorter: typeof Sorter;
  /** UI5's store of messages from the service. */
  readonly Messaging: typeof Messaging;
}

export type ModelSettings = NonNullable<ConstructorParameters<typeof ODataModel>[0]>;

export interface Ui5Page {
  /** A new model of the service; there are no messages. */
  openModel(settings?: Partial<ModelSettings>): Promise<JSHandle<Ui5>>;
  /** The console output since the model was created, where a model reports problems with the service. */
  readonly complaints: readonly string[];
}

const MODULES = [
  'sap/ui/model/odata/v4/ODataModel',
  'sap/ui/model/Filter',
  'sap/ui/model/Sorter',
  'sap/ui/core/Messaging',
] as const;

/** Starts the browser before the tests of the file, and stops it after them. */
export function useUi5(app: AppServer, demo: Demo): Ui5Page {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    if (EXECUTABLE === undefined) throw new Error('There is no Chromium.');
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(`${app.url}/page`);
  });
  afterAll(() => browser?.close());
  return {
    complaints,
    async openModel(settings) {
      complaints.length = 0;
      return openModel(page, { httpHeaders: { Authorization: demo.authorization }, ...settings });
    },
  };
}

function openModel(page: Page, settings: Partial<ModelSettings>): Promise<JSHandle<Ui5>> {
  return page.evaluateHandle(
    ([modules, rest]) =>
      new Promise<Ui5>((resolve, reject) => {
        const open = (
          Model: typeof ODataModel,
          filter: typeof Filter,
          sorter: typeof Sorter,
          messaging: typeof Messaging,
        ) => {
          messaging.removeAllMessages();
          const model = new Model({
            serviceUrl: '/odata/',
            operationMode: 'Server',
            autoExpandSelect: true,
            ...rest,
          });
          resolve({ model, Filter: filter, Sorter: sorter, Messaging: messaging });
        };
        sap.ui.require([...modules], open, reject);
      }),
    [MODULES, settings] as const,
  );
}
