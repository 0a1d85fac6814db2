import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { Empty } from '../../../ui/Empty';
import { Read } from '../../../ui/Read';
import type { Schema } from '../../../ui/SchemaForm';
import css from '../data.module.css';
import { DeleteChosen } from './DeleteEntries';
import { EntryForm } from './EntryForm';
import { EntryTable } from './EntryTable';
import { queryOf, type Filter } from './period';
import { useEntries } from '../read';
import { toolTexts } from '../toolTexts';
import { useFresh } from './useFresh';

type Entry = Schemas['Entry'];
interface Props {
  tool: Schemas['Tool'];
  schema: Schema;
  filter: Filter;
}

/** The entries of a tool, paged: only one page is held, so ten thousand are as fast as ten. */
export function Entries({ tool, schema, filter }: Props) {
  const t = toolTexts.use();
  const [order, setOrder] = useState<'asc' | 'desc'>('desc');
  const [cursors, setCursors] = useState<string[]>([]);
  const [editing, setEditing] = useState<Entry | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const query = useEntries(tool.id, { ...queryOf(filter), order, limit: 50, after: cursors.at(-1) });
  const fresh = useFresh(query.isPlaceholderData ? undefined : query.data?.data, `${order} ${cursors.at(-1) ?? ''}`);
  const goToPage = (next: string[]) => {
    setCursors(next);
    setChosen(new Set());
  };
  const here = (query.data?.data ?? []).filter((entry) => chosen.has(entry.id));
  return (
    <section className="stack" aria-labelledby="entries">
      <div className={`row between ${css.over}`}>
        <h2 id="entries" tabIndex={-1}>
          {t('entries')}
        </h2>
        <div className="row">
          <DeleteChosen tool={tool} entries={here} onDone={() => setChosen(new Set())} />
          {(query.data?.data.length ?? 0) > 1 && (
            <select
              aria-label={t('order')}
              value={order}
              onChange={(e) => {
                setOrder(e.target.value as 'asc');
                goToPage([]);
              }}
            >
              <option value="desc">{t('order.desc')}</option>
              <option value="asc">{t('order.asc')}</option>
            </select>
          )}
        </div>
      </div>
      <Read query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length === 0 && cursors.length === 0 ? (
              <Empty>{t(filter.period === 'all' ? 'entries.empty' : 'entries.none')}</Empty>
            ) : (
              <EntryTable
                tool={tool}
                schema={schema}
                entries={data}
                fresh={fresh}
                chosen={chosen}
                onChosen={setChosen}
                onEdit={setEditing}
              />
            )}
            {(cursors.length > 0 || next_cursor) && (
              <div className="row">
                <button type="button" disabled={!cursors.length} onClick={() => goToPage(cursors.slice(0, -1))}>
                  ← {t(order === 'desc' ? 'newer' : 'older')}
                </button>
                <span className="small muted" role="status">
                  {t('entries.page', { n: cursors.length + 1 })}
                </span>
                <button
                  type="button"
                  disabled={!next_cursor || query.isPlaceholderData}
                  onClick={() => goToPage([...cursors, next_cursor!])}
                >
                  {t(order === 'desc' ? 'older' : 'newer')} →
                </button>
              </div>
            )}
          </>
        )}
      </Read>
      {editing && <EntryForm tool={tool} schema={schema} entry={editing} onClose={() => setEditing(null)} />}
    </section>
  );
}
