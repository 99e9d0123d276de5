import type { Locator, Page } from 'playwright-core';

/** Operates the page of Swagger UI. */
export class SwaggerPage {
  constructor(private readonly page: Page) {}

  /** Opens it and waits until the operations are listed. */
  async open(url: string): Promise<void> {
    await this.page.goto(`${url}/swagger`);
    await this.page.locator('.opblock').first().waitFor();
  }

  /** Enters the key of an application in the dialog. */
  async authorise(application: string, secret: string): Promise<void> {
    await this.page.locator('.auth-wrapper .authorize').click();
    const dialog = this.page.locator('.modal-ux');
    await dialog.getByLabel('auth-basic-username').fill(application);
    await dialog.getByLabel('auth-basic-password').fill(secret);
    await dialog.getByRole('button', { name: 'Apply credentials' }).click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  }

  /** The addresses that calls can go to; the first one is selected. */
  servers(): Promise<readonly string[]> {
    return this.page.locator('.servers select option').evaluateAll((options) => options.map(({ value }) => value));
  }

  /** Opens the form of an operation. */
  async tryOut(operation: string): Promise<Locator> {
    const block = this.page.locator(`[id$="-${operation}"].opblock`);
    await block.locator('.opblock-summary-control').click();
    await block.getByRole('button', { name: 'Try it out' }).click();
    return block;
  }

  /** Runs an operation with the example values. Resolves with the status of the response. */
  async run(operation: string): Promise<string> {
    const block = await this.tryOut(operation);
    await block.getByRole('button', { name: 'Execute' }).click();
    const status = await block.locator('.live-responses-table .response .response-col_status').first().textContent();
    return status?.trim() ?? '';
  }
}
