import { useState } from 'react';
import { api } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { Empty } from '../../../ui/Empty';
import { ProblemBox } from '../../../ui/Problem';
import { isWritten, type Connector } from '../connector';
import css from '../connectors.module.css';
import { CommandDialog } from '../form/CommandDialog';
import { useConnectorsFresh } from '../fresh';
import { CommandItem } from './CommandItem';
import { texts } from './texts';

const many = 12; // the number from which a filter is shown

/** The commands of a connector: changed ones first, since they need review. */
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
      <OfferReads of={c} />
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

/** Enables all read-only commands: what most people want from a server first. */
function OfferReads({ of: c }: { of: Connector }) {
  const t = texts.use();
  const fresh = useConnectorsFresh();
  const reads = c.commands.filter((command) => command.state === 'off' && command.effect === 'read_only');
  const offer = useAction(async () => {
    for (const { name } of reads) {
      const path = { connector_id: c.id, command_name: name };
      // One by one: each changes the connector's version.
      // eslint-disable-next-line no-await-in-loop
      await api.PATCH('/v1/connectors/{connector_id}/commands/{command_name}', {
        params: { path },
        body: { state: 'offered' },
      });
    }
    await fresh();
  });
  if (isWritten(c) || !reads.length) return null;
  return (
    <>
      <p className="row">
        <button type="button" className="small primary" disabled={offer.busy} onClick={() => void offer.run()}>
          {t('offer.reads', { n: reads.length })}
        </button>
        <span className="small muted">{t('offer.reads.text')}</span>
      </p>
      {offer.problem != null && <ProblemBox thrown={offer.problem} onClose={offer.clear} />}
    </>
  );
}
