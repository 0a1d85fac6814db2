import { useEffect } from 'react';

/** The title of the tab; `<Page>` sets it for screens that scroll as a whole. */
export function useTabTitle(name: string): void {
  useEffect(() => {
    document.body.dataset.title = name;
    window.dispatchEvent(new Event('fermata:title'));
  }, [name]);
}
