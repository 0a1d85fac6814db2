import { useState } from 'react';
import { Empty } from '../../../ui/Empty';
import { isWritten, type Connector } from '../connector';
import css from '../connectors.module.css';
import { CommandDialog } from '../form/CommandDialog';
import { CommandItem } from './CommandItem';
import { texts } from './texts';

const many = 12; // from so many on there is a filter

/** The commands of a connector: changed ones first, for they wait for a look. */
export function Commands({ of: c }: { of: Connector }) {
  const t = texts.use();
  const [words, setWords] = useState('');
  const [adding, setAdding] = useState(false);
  const sought = words.trim().toUpperCase();
  const order = c.commands.toSorted((a, b) => Number(b.state === 'changed') - Number(a.state === 'changed'));
  const shown = order.filter((command) => `${c.prefix}.${command.name}`.includes(sought));
  return (
    <section className="stack tight" aria-labelledby="connector-commands">
      <div className="row between">
        <h3 id="connector-commands">{t('title')}</h3>
        {isWritten(c) && (
          <button type="button" className="small" onClick={() => setAdding(true)}>
            {t('add')}
          </button>
        )}
      </div>
      {c.commands.length > many && (
        <input
          type="search"
          aria-label={t('filter')}
          placeholder={t('filter')}
          value={words}
          onChange={(e) => setWords(e.target.value)}
        />
      )}
      {c.commands.length === 0 ? (
        <Empty>{t(isWritten(c) ? 'none.written' : 'none')}</Empty>
      ) : shown.length === 0 ? (
        <p className="muted">{t('filter.none')}</p>
      ) : (
        <ul className={`plain ${css.list}`}>
          {shown.map((command) => (
            <CommandItem key={command.name} connector={c} command={command} />
          ))}
        </ul>
      )}
      {adding && <CommandDialog connector={c} command={null} onClose={() => setAdding(false)} />}
    </section>
  );
}
