import { skipSuite } from '../support/engines/skipped-suites.ts';
import { docker, image } from './image.ts';

/** Skips the suite if the image does not exist; fails it where engines are required. */
export const needsImage = (): void => {
  before(`look for the image ${image}`, async function () {
    try {
      await docker('image', 'inspect', image);
    } catch {
      skipSuite(this, `there is no image ${image}, or no Docker`);
    }
  });
};
