import { useEffect, useRef, useState } from 'react';
import { announce } from '../../../shell/announce';
import { toolTexts } from '../toolTexts';

interface Row {
  id: string;
  version: number;
}

/** The rows that were added or changed while the page was open, highlighted for a few seconds each. `page` identifies
 * the current view: rows of another page are not new. */
export function useFresh(rows: Row[] | undefined, page: string): Set<string> {
  const t = toolTexts.use();
  const seen = useRef<{ page: string; versions: Map<string, number> } | null>(null);
  const [fresh, setFresh] = useState<Set<string>>(new Set());
  useEffect(() => {
    if (!rows) return;
    const before = seen.current;
    const versions = new Map(before?.page === page ? before.versions : []);
    for (const row of rows) versions.set(row.id, row.version);
    seen.current = { page, versions };
    if (before?.page !== page) return;
    const found = rows.filter((row) => before.versions.get(row.id) !== row.version).map((row) => row.id);
    if (!found.length) return;
    setFresh((now) => new Set([...now, ...found]));
    announce(t('fresh.say', { n: found.length }));
    setTimeout(() => setFresh((now) => new Set([...now].filter((id) => !found.includes(id)))), 6000);
  }, [rows, page, t]);
  return fresh;
}
