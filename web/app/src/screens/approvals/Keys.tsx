import { setKeysOn, useKeysOn } from '../../ui/keys';
import { texts } from './texts';
import css from './approvals.module.css';

const keys = ['j', 'k', 'a', 'r', 'e', 'x'] as const;

/** The keyboard shortcuts, and the switch that turns them off. */
export function Keys({ open, onToggle }: { open: boolean; onToggle: (open: boolean) => void }) {
  const t = texts.use();
  const on = useKeysOn();
  return (
    <details className={css.keys} open={open} onToggle={(e) => onToggle(e.currentTarget.open)} data-keys>
      <summary>{t('keys')}</summary>
      <dl className={on ? undefined : css.off}>
        {keys.map((k) => (
          <div key={k}>
            <dt>
              <kbd>{k.toUpperCase()}</kbd>
            </dt>
            <dd>{t(`key.${k}`)}</dd>
          </div>
        ))}
      </dl>
      <label className={`small ${css.switch}`}>
        <input type="checkbox" checked={on} onChange={(e) => setKeysOn(e.target.checked)} />
        <span>{t('keys.on')}</span>
      </label>
    </details>
  );
}
