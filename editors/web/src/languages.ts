// The languages of the page.
import type { Language } from './link';

export interface LanguageInfo {
  title: string;
  /** The id of the language server. */
  id: string;
  /** The name of the file that the server is told, and of the download. */
  file: string;
  /** How comments start. */
  comment: string;
}

export const INFO: Record<Language, LanguageInfo> = {
  ptx: { title: 'PTX', id: 'ptx', file: 'kernel.ptx', comment: '//' },
  wave: { title: 'WAVE', id: 'wave-asm', file: 'kernel.wave', comment: ';' },
  sass: { title: 'SASS', id: 'cuda-sass', file: 'kernel.sass', comment: '//' },
};
