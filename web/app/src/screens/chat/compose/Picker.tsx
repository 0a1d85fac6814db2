import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { $api } from '../../../api/client';
import { ProblemBox } from '../../../ui/Problem';
import { Skeleton } from '../../../ui/Skeleton';
import type { Reference } from '../store/drafts';
import { useNames } from '../../data/words';
import { words } from '../texts.compose';
import css from './compose.module.css';
import { find, offersOf, type Offer } from './offers';

const maxOffers = 30;
const all = { params: { query: { limit: 200 } } };

interface Props {
  onPick: (reference: Reference) => void;
  onClose: () => void;
}

/** A combobox of everything that can be referenced: zones, tools, tool types. */
export function Picker({ onPick, onClose }: Props) {
  const t = words.use();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [typed, type] = useState('');
  const [at, go] = useState(0);
  const zones = $api.useQuery('get', '/v1/zones', all);
  const tools = $api.useQuery('get', '/v1/tools', all);
  const types = $api.useQuery('get', '/v1/tool-types', all);
  useEffect(() => field.current?.focus(), []);
  const names = useNames();
  const offers = offersOf(
    zones.data?.data ?? [],
    tools.data?.data ?? [],
    (types.data?.data ?? []).map((x) => ({ ...x, name: names.type(x) })),
  );
  const found = find(offers, typed, maxOffers);
  const active = Math.min(at, found.length - 1);
  const problem = zones.error ?? tools.error ?? types.error;
  const key = (e: KeyboardEvent) => {
    const step: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + 8,
      PageUp: active - 8,
    };
    if (e.key in step) {
      e.preventDefault();
      go(Math.max(0, Math.min(found.length - 1, step[e.key]!)));
    }
    if (e.key === 'Enter' && !e.nativeEvent.isComposing) {
      e.preventDefault();
      if (found[active]) onPick(found[active].reference);
    }
    if (e.key === 'Escape') {
      e.preventDefault();
      e.stopPropagation();
      onClose();
    }
  };
  useEffect(() => {
    if (active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  const left = (e: React.FocusEvent) => {
    if (e.relatedTarget && !box.current?.contains(e.relatedTarget as Node)) onClose();
  };
  return (
    <div ref={box} className={css.picker} onBlur={left}>
      <div className="row">
        <input
          ref={field}
          className="grow"
          type="text"
          role="combobox"
          aria-label={t('refer.search')}
          placeholder={t('refer.search')}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={found.length ? `${id}-${active}` : undefined}
          autoComplete="off"
          value={typed}
          onChange={(e) => {
            type(e.target.value);
            go(0);
          }}
          onKeyDown={key}
        />
        <button
          type="button"
          className="plain small"
          aria-label={t('refer.close')}
          title={t('refer.close')}
          onClick={onClose}
        >
          ✕
        </button>
      </div>
      {problem ? (
        <ProblemBox
          thrown={problem}
          onRetry={() => {
            void zones.refetch();
            void tools.refetch();
            void types.refetch();
          }}
        />
      ) : null}
      <div id={`${id}-list`} role="listbox" aria-label={t('refer')} className={css.offers}>
        {found.map((o, i) => (
          <Row key={o.key} id={`${id}-${i}`} offer={o} active={i === active} onPick={() => onPick(o.reference)} />
        ))}
      </div>
      {!found.length &&
        (zones.isPending || tools.isPending ? (
          !problem && <Skeleton rows={4} />
        ) : (
          <p className="muted small" role="status">
            {t('refer.none')}
          </p>
        ))}
      {found.length === maxOffers && <p className="muted small">{t('refer.more')}</p>}
    </div>
  );
}

function Row({ id, offer, active, onPick }: { id: string; offer: Offer; active: boolean; onPick: () => void }) {
  const t = words.use();
  return (
    // The combobox handles the keys and keeps the focus.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="option"
      aria-selected={active}
      className={css.offer}
      onMouseDown={(e) => e.preventDefault()}
      onClick={onPick}
    >
      <span className="muted small">{t(`refer.${offer.kind}`)}</span> <span className="clamp">{offer.name}</span>
      {offer.of && <span className="muted small clamp">{offer.of}</span>}
    </div>
  );
}
