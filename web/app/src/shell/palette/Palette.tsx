import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../../ui/Dialog';
import styles from './palette.module.css';
import type { Target } from './rank';
import { useTargets } from './targets';
import { texts } from './texts';

/** The command palette: a field with a list below it, operated by the keyboard. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const t = texts.use();
  const id = useId();
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const { targets, busy } = useTargets(query);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []); // a dialog focuses its first button
  const chosen = Math.min(at, targets.length - 1);
  const go = (target: Target | undefined) => {
    if (!target) return;
    onClose();
    if (target.act) target.act();
    else if (target.href) navigate(target.href);
  };
  const move = (to: number) => {
    const next = (to + targets.length) % targets.length;
    setAt(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKey = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing || !targets.length) return;
    if (e.key === 'ArrowDown') move(chosen + 1);
    else if (e.key === 'ArrowUp') move(chosen - 1);
    else if (e.key === 'Enter') go(targets[chosen]);
    else return;
    e.preventDefault();
  };
  const option = (target: Target, i: number) => (
    <div
      key={target.id}
      id={`${id}-${i}`}
      role="option"
      aria-selected={i === chosen}
      data-target={target.id}
      tabIndex={-1}
      className={styles.option}
    >
      <span className={styles.name}>{target.name}</span>
      {target.note && <span className={styles.note}>{target.note}</span>}
      {target.keys && (
        <span className={styles.shortcut}>
          {target.keys.split(' ').map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </div>
  );
  return (
    <Dialog title={t('palette')} onClose={onClose} steady>
      <input
        role="combobox"
        aria-label={t('field')}
        aria-expanded={targets.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={targets.length ? `${id}-${chosen}` : undefined}
        ref={field}
        autoComplete="off"
        spellCheck={false}
        placeholder={t('placeholder')}
        className={styles.field}
        value={query}
        onChange={(e) => {
          setQuery(e.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <p className="visually-hidden" role="status">
        {busy ? '' : targets.length ? t('found', { n: targets.length }) : t('none')}
      </p>
      {targets.length === 0 ? (
        <p className="muted" aria-hidden="true">
          {busy ? t('looking') : t('none')}
        </p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field above has the keys
        <div
          id={`${id}-list`}
          role="listbox"
          tabIndex={-1}
          aria-label={t('palette')}
          className={styles.list}
          onClick={(e) =>
            go(
              targets.find((x) => x.id === (e.target as Element).closest<HTMLElement>('[data-target]')?.dataset.target),
            )
          }
        >
          {groupsOf(targets).map(({ name, from, members }) => (
            <div key={name} role="group" aria-label={group(t, name)}>
              <p role="presentation" className={styles.group}>
                {group(t, name)}
              </p>
              {members.map((target, i) => option(target, from + i))}
            </div>
          ))}
        </div>
      )}
    </Dialog>
  );
}

function group(t: typeof texts.t, name: string): string {
  const key = `group.${name}`;
  return t.has(key) ? t(key) : name;
}

/** The targets, already grouped, with the index of each group's first. */
function groupsOf(targets: Target[]): { name: string; from: number; members: Target[] }[] {
  const groups: { name: string; from: number; members: Target[] }[] = [];
  targets.forEach((target, i) => {
    const last = groups[groups.length - 1];
    if (last?.name === target.group) last.members.push(target);
    else groups.push({ name: target.group, from: i, members: [target] });
  });
  return groups;
}
