// The tabs of the languages.
import { element } from './elements';
import { INFO } from './languages';
import { LANGUAGES, type Language } from './link';

export class LanguageTabs {
  private readonly tabs = new Map<Language, HTMLElement>();

  constructor(choose: (language: Language) => void) {
    for (const [at, language] of LANGUAGES.entries()) {
      const tab = document.createElement('button');
      Object.assign(tab, { type: 'button', role: 'tab', textContent: INFO[language].title });
      tab.dataset.language = language;
      tab.setAttribute('aria-controls', 'page-editors');
      tab.addEventListener('click', () => choose(language));
      tab.addEventListener('keydown', ({ key }) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
        const next = by && LANGUAGES[(at + by + LANGUAGES.length) % LANGUAGES.length];
        if (!next) return;
        this.tabs.get(next)?.focus();
        choose(next);
      });
      this.tabs.set(language, tab);
      element('page-languages').append(tab);
    }
  }

  /** Marks the tab of a language. */
  show(language: Language): void {
    for (const [other, tab] of this.tabs) {
      tab.setAttribute('aria-selected', `${other === language}`);
      tab.tabIndex = other === language ? 0 : -1;
    }
  }
}
