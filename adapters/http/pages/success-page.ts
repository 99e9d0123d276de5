import { page } from './layout.ts';

/** The default page of GET /verify/success (specification, section 4, rule 8). */
export const successPage: string = page('done', {
  title: 'Your account has been verified',
  sentence: 'Thank you for confirming your email address. You can close this page now.',
});
