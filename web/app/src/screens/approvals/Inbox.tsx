import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { $api, api, body } from '../../api/client';
import { ApprovalCard } from '../../approvals/ApprovalCard';
import { titleOf } from '../../approvals/title';
import { statusIn, type Approval } from '../../approvals/decide';
import { UndoAll } from '../../undo/UndoAll';
import { Empty } from '../../ui/Empty';
import { focusAfter } from '../../ui/focus';
import { useKeys } from '../../ui/keys';
import { texts as uiTexts } from '../../ui/texts';
import { Bulk } from './Bulk';
import { Filters } from './Filters';
import { Keys } from './Keys';
import { inBulk, Rows } from './Rows';
import { texts } from './texts';
import { neighbour, useNames, useOpen } from './useOpen';
import css from './approvals.module.css';

const wide = window.matchMedia('(width >= 1000px)');
const useWide = () =>
  useSyncExternalStore(
    (changed) => {
      wide.addEventListener('change', changed);
      return () => wide.removeEventListener('change', changed);
    },
    () => wide.matches,
  );

/** The pending approvals, and the selected one. It stays selected when it is decided elsewhere; after the person's
 * own decision the next one is selected. */
export function Inbox({ open, wanted }: { open: ReturnType<typeof useOpen>; wanted?: string }) {
  const t = texts.use();
  const name = useNames();
  const isWide = useWide();
  const [picked, setPicked] = useState<Approval | null>(null);
  const [ticked, setTicked] = useState<string[]>([]);
  const [last, setLast] = useState<Approval | null>(null); // the decisions made here
  const [changed, setChanged] = useState<string | null>(null); // asked again, because the data had changed
  const [help, setHelp] = useState(isWide);
  const box = useRef<HTMLDivElement>(null);
  const [done, setDone] = useState<string[]>([]); // decided here; the list is updated a little later
  const shown = open.shown.filter((a) => !done.includes(a.id));
  const [taken, setTaken] = useState<string | undefined>(); // from the address, once loaded
  const asked = wanted === 'all' ? shown.find(inBulk) : shown.find((a) => a.id === wanted);
  if (asked && wanted !== taken) {
    setTaken(wanted);
    setPicked(asked);
    if (wanted === 'all') setTicked(shown.filter(inBulk).map((a) => a.id));
  } else if (isWide && !picked && shown[0]) {
    // Beside the list one is always shown. It is kept, so that it is not replaced while it is being used.
    setPicked(shown[0]);
  }
  const current = shown.find((a) => a.id === picked?.id) ?? picked;
  const goTo = (a: Approval | null, focus = false) => {
    if (a && focus)
      focusAfter(
        () => setPicked(a),
        () => box.current?.querySelector<HTMLElement>(`[data-row="${a.id}"] button[aria-current]`),
      );
    else setPicked(a);
  };
  const tick = (a: Approval) =>
    setTicked(ticked.includes(a.id) ? ticked.filter((id) => id !== a.id) : [...ticked, a.id]);
  const settled = async (now: Approval, conflict?: string) => {
    if (now.status === 'stale') {
      const next = await askedAgain(now);
      setDone([...done, now.id]);
      if (next) setChanged(next.id);
      goTo(next ?? now);
      return;
    }
    if (conflict) {
      goTo(now);
      return;
    }
    setLast(now);
    setDone([...done, now.id]);
    const i = shown.findIndex((a) => a.id === now.id);
    goTo(shown[i + 1] ?? shown[i - 1] ?? null, true);
  };
  const press = (what: string) => {
    const control = box.current?.querySelector<HTMLElement>(`[data-detail] ${what}`);
    if (control && !(control as HTMLButtonElement).disabled) control.click();
    return true;
  };
  useKeys((key) => {
    switch (key) {
      case 'j':
        goTo(neighbour(shown, current?.id ?? null, 1), true);
        return true;
      case 'k':
        goTo(neighbour(shown, current?.id ?? null, -1), true);
        return true;
      case 'a':
        return press('[data-do=approve]');
      case 'r':
        // Opens the field for a reason, and decides nothing; kinds without a reason have the button within
        // reach.
        if (current?.kind === 'actions') return press('[data-do=refuse]');
        box.current?.querySelector<HTMLElement>('[data-detail] [data-do=refuse]')?.focus();
        return true;
      case 'e':
        return edit(box.current);
      case 'x':
        if (current && inBulk(current)) tick(current);
        return true;
      default:
        return false;
    }
  });
  const chosen = shown.filter((a) => ticked.includes(a.id));
  const detail = current && (
    <div data-detail className="stack tight">
      {changed === current.id && (
        <p className="box warn" role="status" data-changed>
          {t('changed')}
        </p>
      )}
      <Detail key={current.id} approval={current} onSettled={(now, conflict) => void settled(now, conflict)} />
    </div>
  );
  return (
    <div ref={box} className="stack">
      {last && <Last approval={last} onClose={() => setLast(null)} />}
      {shown.length === 0 && !picked ? (
        <Nothing />
      ) : (
        <div className={css.panes}>
          <div className="stack tight">
            <Filters open={open} name={name} />
            <Bulk chosen={chosen} onDone={() => setTicked([])} />
            <Rows
              list={shown}
              current={current?.id ?? null}
              pick={(a) => goTo(!isWide && a.id === current?.id ? null : a)}
              ticked={ticked}
              tick={tick}
              name={name}
              below={isWide ? undefined : <div className={css.below}>{detail}</div>}
            />
            {open.query.hasNextPage && <Older query={open.query} />}
            <Keys open={help} onToggle={setHelp} />
          </div>
          {isWide ? <div className={css.detail}>{detail}</div> : !shown.some((a) => a.id === current?.id) && detail}
        </div>
      )}
    </div>
  );
}

/** The approval that replaced a stale one. */
async function askedAgain({ session_id }: Approval): Promise<Approval | undefined> {
  const again = await body(api.GET('/v1/approvals', { params: { query: { status: 'open', session_id } } }));
  return again.data[0];
}

/** The decisions made here, with undo if possible. */
function Last({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const words = uiTexts.use();
  const t = texts.use();
  const approved = approval.kind === 'actions' && approval.status === 'approved';
  const n = approvedOf(approval);
  return (
    <div className="box ok row between" role="status" data-last={approval.status}>
      <span className="grow">
        {approved ? (
          <>
            <strong>{t('approved', { n })}</strong>
            {approval.actions.length === 1 && (
              <>
                {' '}
                <span className={css.said}>{titleOf(approval)}</span>
              </>
            )}
          </>
        ) : (
          <>
            <strong>{statusIn(approval)}:</strong> <span className={css.said}>{titleOf(approval)}</span>
          </>
        )}
      </span>
      {approved && <UndoAll approval={approval} />}
      <button type="button" className="plain small" onClick={onClose}>
        {words('close')}
      </button>
    </div>
  );
}

/** The number of its actions that were approved. */
function approvedOf({ actions, decision }: Approval): number {
  const { approved_ids: some } = (decision ?? {}) as { approved_ids?: string[] };
  return some?.length ? some.length : actions.length;
}

function Nothing() {
  const t = texts.use();
  return (
    <Empty>
      <p>
        <strong>{t('empty')}</strong>
      </p>
      <p>{t('empty.text')}</p>
    </Empty>
  );
}

function Older({ query }: { query: ReturnType<typeof useOpen>['query'] }) {
  const t = texts.use();
  const words = uiTexts.use();
  return (
    <p className="small">
      {t('older')}{' '}
      <button
        type="button"
        className="small"
        disabled={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {words('more')}
      </button>
    </p>
  );
}

/** Opens the editable form, or focuses the first field of an answer. */
function edit(box: HTMLElement | null): boolean {
  const detail = box?.querySelector('[data-detail]');
  const button = detail?.querySelector<HTMLElement>('[data-do=edit]');
  if (button) button.click();
  else detail?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  return true;
}

interface DetailProps {
  approval: Approval;
  onSettled: (now: Approval, conflict?: string) => void;
}

/** The card, kept up to date even if it is no longer pending. */
function Detail({ approval, onSettled }: DetailProps) {
  const query = $api.useQuery(
    'get',
    '/v1/approvals/{approval_id}',
    { params: { path: { approval_id: approval.id } } },
    { initialData: approval },
  );
  const left = useRef<HTMLDivElement>(null);
  useEffect(() => {
    left.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={left}>
      <ApprovalCard approval={query.data ?? approval} onSettled={onSettled} />
    </div>
  );
}
