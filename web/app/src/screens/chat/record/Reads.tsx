import { useState } from 'react';
import { useFormat } from '../../../i18n/format';
import type { Chat } from '../store/chat';
import { tookOf, type Reads } from '../store/reads';
import { texts } from '../texts';
import { CommandCard } from './Command';
import css from './record.module.css';

/** The reads of a round in one line, which expands to the single commands. */
export function ReadsView({ chat, reads }: { chat: Chat; reads: Reads }) {
  const t = texts.use();
  const f = useFormat();
  const [open, setOpen] = useState(false);
  const { messages, running, round } = reads;
  const results = messages.flatMap((m) => m.system_message?.command_results ?? []);
  const known = results.map((r) => chat.execution(r.execution_id));
  const failed = results.filter((r) => r.status === 'FAILED').length;
  const n = results.length + running.length;
  const took = running.length ? null : tookOf(known);
  return (
    <details
      className={css.reads}
      data-reads={n}
      open={open}
      onToggle={(e) => {
        setOpen(e.currentTarget.open);
        if (e.currentTarget.open && known.includes(undefined)) chat.needRound(round);
      }}
    >
      <summary>
        <span>
          {running.length ? t('reads.now', { n }) : t('reads', { n })}
          {took !== null && took > 0 && ` · ${f.duration(took)}`}
          {failed > 0 && <span className={css.failed}> · {t('reads.failed', { n: failed })}</span>}
        </span>
      </summary>
      {open && (
        <div className={css.cards}>
          {results.map((r, i) => (
            <CommandCard
              key={r.execution_id ?? r.call_id ?? i}
              chat={chat}
              command={r.command}
              status={r.status}
              result={r}
              round={round}
              execution={known[i]}
            />
          ))}
          {running.map((e) => (
            <CommandCard key={e.id} chat={chat} command={e.command} status={e.status} execution={e} />
          ))}
        </div>
      )}
    </details>
  );
}
