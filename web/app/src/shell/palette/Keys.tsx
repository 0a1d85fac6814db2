import { Dialog } from '../../ui/Dialog';
import styles from './palette.module.css';
import { texts } from './texts';

const mac = /Mac|iP(hone|ad)/.test(navigator.userAgent);
const lists = [
  [
    'everywhere',
    [
      [[mac ? '⌘ K' : 'Ctrl K'], 'palette'],
      [['G H'], 'go'],
      [['?'], 'help'],
      [['Esc'], 'escape'],
    ],
  ],
  [
    'chat',
    [
      [['Enter'], 'send'],
      [['Shift Enter'], 'line'],
      [['Esc'], 'stop'],
      [['@'], 'refer'],
      [['/', 'C'], 'field'],
    ],
  ],
  [
    'approvals',
    [
      [['J', 'K'], 'next'],
      [['A'], 'yes'],
      [['R'], 'no'],
      [['E'], 'edit'],
      [['X'], 'tick'],
    ],
  ],
  [
    'automations',
    [
      [['J', 'K'], 'row'],
      [['R'], 'run'],
      [['P'], 'pause'],
      [['E'], 'open'],
      [['H'], 'history'],
      [['D'], 'delete'],
    ],
  ],
  [
    'runs',
    [
      [['J', 'K'], 'row'],
      [['R'], 'again'],
      [['O'], 'chat.open'],
      [['T'], 'steps'],
      [['C'], 'fork'],
      [['S'], 'stop.run'],
    ],
  ],
  [
    'search',
    [
      [['↓', '↑'], 'choose'],
      [['Enter'], 'take'],
    ],
  ],
  [
    'timeline',
    [
      [['↓ ↑', 'J K'], 'rows'],
      [['Home', 'End'], 'ends'],
      [['Enter'], 'fold'],
    ],
  ],
] as const;

/** The list of keyboard shortcuts. */
export default function Keys({ onClose }: { onClose: () => void }) {
  const t = texts.use();
  return (
    <Dialog title={t('keys')} onClose={onClose}>
      {lists.map(([name, keys]) => (
        <section key={name} className="stack tight">
          <h3>{t(`keys.${name}`)}</h3>
          <dl className={styles.keys}>
            {keys.map(([strokes, what]) => (
              <div key={what}>
                <dt>
                  {strokes.map((stroke, i) => (
                    <span key={stroke}>
                      {i > 0 && <span className="muted small"> {t('keys.or')} </span>}
                      {stroke.split(' ').map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </span>
                  ))}
                </dt>
                <dd>{t(`keys.${what}`)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
