import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Markdown } from '../../ui/Markdown';
import { Time } from '../../ui/Time';
import { OutcomeBadge, useTriggerWords } from './Outcome';
import { texts } from './texts';

/** One run: what came of it, when and why it started, what it cost, and what it said. */
export function RunLine({ run, name, automation }: { run: Schemas['AutomationRun']; name?: string; automation?: string }) {
  const t = texts.use();
  const f = useFormat();
  const trigger = useTriggerWords();
  const [whole, setWhole] = useState(false);
  const text = run.final_text ?? '';
  const long = text.length > 400;
  return (
    <li className="card stack tight" data-run={run.session_id} data-status={run.status}>
      <p className="row"><OutcomeBadge run={run} />{name !== undefined && <Link href={`/automations/${automation}`} className="clamp">{name}</Link>}
        <span className="small muted"><Time at={run.started_at ?? run.requested_at} />, {trigger(run.trigger)}</span></p>
      {text && <div><Markdown text={whole || !long ? text : `${text.slice(0, 380)}…`} />{long && <button type="button" className="link small" onClick={() => setWhole(!whole)}>{t(whole ? 'less' : 'whole')}</button>}</div>}
      <p className="row small muted">
        {run.duration_ms !== null && <span>{f.duration(run.duration_ms)}</span>}
        <span>{t('roundtrips', { n: run.roundtrips })}</span>
        {run.usage.cost && <span>{f.money(run.usage.cost.amount, run.usage.cost.currency)}</span>}
        <Link href={`/chat/${run.session_id}`}>{t('open')}</Link>
        <Link href={`/timeline/${run.session_id}`}>{t('timeline')}</Link>
      </p>
    </li>
  );
}
