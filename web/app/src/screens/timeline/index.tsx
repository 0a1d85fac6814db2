import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Empty } from '../../ui/Empty';
import { Page } from '../../ui/Page';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { useWords } from '../../ui/session';
import { Time, useNow } from '../../ui/Time';
import { Controls, type View } from './Controls';
import { Details } from './Details';
import { Json } from './Json';
import { layout, type Gap } from './layout';
import { useTimeline, type Loaded } from './load';
import { isFree, itemsOf, kinds, type Kind } from './model';
import { Rows } from './Rows';
import { Export } from './Export';
import { texts } from './texts';
import styles from './timeline.module.css';
import { Why } from './Why';

/** Everything that happened in a session, and the explanation of its state. */
export default function Timeline({ id }: { id: string }) {
  const t = texts.use();
  const session = $api.useQuery('get', '/v1/sessions/{session_id}', { params: { path: { session_id: id } } });
  const name = session.data?.name;
  return (
    <Page
      title={<span className="clamp">{name ? t('title.of', { name }) : t('title')}</span>}
      name={t('title')}
      actions={<Export id={id} />}
    >
      <Read query={session}>{(s) => <Whole session={s} />}</Read>
    </Page>
  );
}

function Whole({ session }: { session: Schemas['Session'] }) {
  const loaded = useTimeline(session.id);
  return (
    <>
      <Summary session={session} free={isFree(loaded.lines)} />
      <Why id={session.id} />
      <Record id={session.id} loaded={loaded} />
    </>
  );
}

function Summary({ session, free }: { session: Schemas['Session']; free: boolean }) {
  const t = texts.use();
  const f = useFormat();
  const words = useWords();
  const u = session.usage;
  return (
    <>
      <p className="row">
        <span className="badge">{words.type(session.type)}</span>
        <span
          className={
            session.status === 'requires_action'
              ? 'badge warn'
              : session.status === 'running'
                ? 'badge accent'
                : 'badge'
          }
          data-status={session.status}
        >
          {session.end_reason ? words.ended(session.end_reason) : words.status(session.status)}
        </span>
        <Link href={`/chat/${session.id}`}>{t('chat')}</Link>
        {session.automation_id && <Link href={`/automations/${session.automation_id}`}>{t('automation')}</Link>}
      </p>
      <dl className={styles.sums}>
        <div>
          <dt>{t('sum.phase')}</dt>
          <dd>{words.phase(session.phase)}</dd>
        </div>
        <div>
          <dt>{t('sum.begun')}</dt>
          <dd>
            <Time at={session.created_at} />
          </dd>
        </div>
        <div>
          <dt>{t('sum.calls')}</dt>
          <dd>{f.number(session.total_roundtrips)}</dd>
        </div>
        <div>
          <dt>{t('sum.tokens')}</dt>
          <dd>{f.number(u.input_tokens + u.cache_read_tokens + u.cache_write_tokens + u.output_tokens)}</dd>
        </div>
        <div>
          <dt>{t('sum.cost')}</dt>
          <dd>{u.cost ? f.money(u.cost.amount, u.cost.currency) : t(free ? 'd.cost.free' : 'd.cost.none')}</dd>
        </div>
      </dl>
    </>
  );
}

function Record({ id, loaded }: { id: string; loaded: Loaded }) {
  const t = texts.use();
  const f = useFormat();
  const approvals = $api.useQuery('get', '/v1/approvals', { params: { query: { session_id: id, limit: 200 } } });
  const [view, setView] = useState<View>('waterfall');
  const [shown, setShown] = useState<ReadonlySet<Kind>>(() => new Set(kinds));
  const [round, setRound] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(() => new Set());
  const asked = approvals.data?.data;
  const now = useTicking(
    useMemo(() => itemsOf(loaded.lines, asked ?? [], 0).some((item) => item.open), [loaded.lines, asked]),
  );
  const items = useMemo(() => itemsOf(loaded.lines, asked ?? [], now), [loaded.lines, asked, now]);
  const axis = useMemo(() => (round ? items.filter((item) => item.round === round) : items), [items, round]);
  const made = useMemo(
    () =>
      layout(
        axis,
        axis.filter((item) => shown.has(item.kind)),
        unfolded,
      ),
    [axis, shown, unfolded],
  );
  const fold = (gap: Gap) =>
    setUnfolded((now) => {
      const next = new Set(now);
      if (!next.delete(gap.id)) next.add(gap.id);
      return next;
    });
  const n = loaded.whole ? made.rows.length : loaded.lines.length;
  const item = items.find((i) => i.key === chosen);
  const empty = loaded.whole && !items.length;
  if (loaded.error && !loaded.lines.length) return <ProblemBox thrown={loaded.error} onRetry={loaded.again} />;
  return (
    <>
      {loaded.error != null && <ProblemBox thrown={loaded.error} onRetry={loaded.again} />}
      <Controls
        items={items}
        view={view}
        onView={setView}
        shown={shown}
        onShown={setShown}
        round={round}
        onRound={setRound}
      />
      <p className="muted small" role="status" data-loading={n || loaded.whole ? undefined : ''}>
        {t(loaded.whole ? 'rows' : 'reading', { n, count: f.number(n) })}
      </p>
      {empty && <Empty>{t('empty')}</Empty>}
      {!empty && view === 'json' && <Json lines={loaded.lines} />}
      {!empty && view !== 'json' && (
        <div className={styles.panes}>
          {made.rows.length > 0 ? (
            <Rows layout={made} compact={view === 'compact'} chosen={chosen} onChoose={setChosen} onFold={fold} />
          ) : (
            <Empty>{t('empty.filtered')}</Empty>
          )}
          <section
            className={`card ${styles.details}`}
            aria-label={t('details')}
            tabIndex={-1}
            data-none={item ? undefined : ''}
          >
            {item ? <Details item={item} session={id} /> : <p className="muted">{t('details.none')}</p>}
          </section>
        </div>
      )}
    </>
  );
}

/** The current time, ticking only while the session is active. */
function useTicking(going: boolean): number {
  const now = useNow();
  return going ? now : 0;
}
