// The examples of the menu: kernels of the repository, which the build puts in here.

import type { Launch } from './form';
import type { Kernel, Language } from './link';

export interface Example extends Kernel {
  title: string;
  launch?: Launch;
  /** A kernel beside it. */
  compare?: Kernel;
}

declare const EXAMPLES: Example[];

export const examples: readonly Example[] = EXAMPLES;

/** The first example of a language. */
export function exampleOf(language: Language): Example {
  const found = examples.find((example) => example.language === language);
  if (!found) throw new Error(`there is no example of ${language}`);
  return found;
}
