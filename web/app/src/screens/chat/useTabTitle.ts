import { useEffect } from 'react';

/** What the tab is called; `<Page>` does the same for screens that scroll as a whole. */
export function useTabTitle(name: string): void {
  useEffect(() => {
    document.body.dataset.title = name;
    window.dispatchEvent(new Event('fermata:title'));
  }, [name]);
}
