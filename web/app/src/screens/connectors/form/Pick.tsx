import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { visible } from '../../../ui/visible';
import { effects } from '../commands/Rules';
import { texts as commandTexts } from '../commands/texts';
import css from '../connectors.module.css';
import { texts } from './texts';
import type { Written } from './written';

interface Props {
  of: Schemas['ConnectorPreview'];
  picked: Written[];
  onPick: (picked: Written[]) => void;
}

const many = 12; // the number from which a filter is shown

/** The commands derived from an API description: which are wanted, and the effect of each. */
export function Pick({ of: preview, picked, onPick }: Props) {
  const t = texts.use();
  const [words, setWords] = useState('');
  const all = preview.commands;
  const shown = all.filter((c) => `${c.name} ${c.description}`.toLowerCase().includes(words.trim().toLowerCase()));
  // The order of the document is kept, regardless of the order of picking.
  const toggle = (name: string, on: boolean) =>
    onPick(
      all.flatMap((c) => {
        const before = picked.find((p) => p.name === c.name);
        return c.name === name ? (on ? [before ?? c] : []) : before ? [before] : [];
      }),
    );
  return (
    <section className="stack tight" aria-label={t('pick.title', { n: all.length })} data-pick>
      <h4>{t('pick.title', { n: all.length })}</h4>
      {preview.skipped > 0 && <p className="small muted">{t('pick.skipped', { n: preview.skipped })}</p>}
      <p className="row">
        <button type="button" className="small" onClick={() => onPick(all)}>
          {t('pick.all')}
        </button>
        <button type="button" className="small" onClick={() => onPick(all.filter((c) => c.effect === 'read_only'))}>
          {t('pick.reads')}
        </button>
        <button type="button" className="small" onClick={() => onPick([])}>
          {t('pick.none')}
        </button>
        <span className="small muted" role="status">
          {t('pick.count', { n: picked.length })}
        </span>
      </p>
      {all.length > many && (
        <input
          type="search"
          aria-label={t('pick.filter')}
          placeholder={t('pick.filter')}
          value={words}
          onChange={(e) => setWords(e.target.value)}
        />
      )}
      <ul className={`plain ${css.pick}`} tabIndex={0} aria-label={t('pick.title', { n: all.length })}>
        {shown.map((c) => (
          <Proposed
            key={c.name}
            of={c}
            picked={picked.find((p) => p.name === c.name)}
            toggle={(on) => toggle(c.name, on)}
            change={(next) => onPick(picked.map((p) => (p.name === next.name ? next : p)))}
          />
        ))}
      </ul>
    </section>
  );
}

interface ProposedProps {
  of: Schemas['ProposedCommand'];
  picked?: Written;
  toggle: (on: boolean) => void;
  change: (next: Written) => void;
}

function Proposed({ of: c, picked, toggle, change }: ProposedProps) {
  const t = texts.use();
  const tc = commandTexts.use();
  return (
    <li data-proposed={c.name}>
      <label>
        <input type="checkbox" checked={picked !== undefined} onChange={(e) => toggle(e.target.checked)} />
        <span>
          <code>{c.name}</code>{' '}
          <span className="small muted">
            {c.request.method} {c.request.path}
          </span>
          <span className="small clamp">
            <bdi>{visible(c.description)}</bdi>
          </span>
        </span>
      </label>
      {picked && (
        <select
          aria-label={t('pick.effect', { name: c.name })}
          value={picked.effect}
          onChange={(e) => {
            const effect = e.target.value as (typeof effects)[number];
            change({ ...picked, effect, require_validation: effect === 'non_idempotent' });
          }}
        >
          {effects.map((effect) => (
            <option key={effect} value={effect}>
              {tc(`effect.${effect}`)}
            </option>
          ))}
        </select>
      )}
    </li>
  );
}
