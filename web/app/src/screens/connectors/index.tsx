import { Link } from 'wouter';
import { $api } from '../../api/client';
import { Empty } from '../../ui/Empty';
import { Read } from '../../ui/Read';
import css from './connectors.module.css';
import { addressOf, type Connector } from './connector';
import { New } from './form/New';
import { One } from './One';
import { Counts, Status } from './Status';
import { texts } from './texts';

const often = 10_000; // calls change how a connector is, and no event tells of it

/** Connectors: the list, one of them, or a new one. */
export function Connectors({ item }: { item?: string }) {
  if (item === 'new') return <New />;
  return item ? <One key={item} id={item} /> : <All />;
}

function All() {
  const t = texts.use();
  const connectors = $api.useQuery(
    'get',
    '/v1/connectors',
    { params: { query: { limit: 200 } } },
    { refetchInterval: often },
  );
  return (
    <div className="stack">
      <p>{t('text')}</p>
      <p>
        <Link href="/settings/connectors/new" className="button primary">
          {t('add')}
        </Link>
      </p>
      <Read query={connectors}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>
              <p>
                <strong>{t('none')}</strong>
              </p>
              <p>{t('none.what')}</p>
            </Empty>
          ) : (
            <ul className={`plain ${css.list}`}>
              {data.map((c) => (
                <Row key={c.id} of={c} />
              ))}
            </ul>
          )
        }
      </Read>
    </div>
  );
}

function Row({ of: c }: { of: Connector }) {
  const t = texts.use();
  return (
    <li className={css.row} data-connector={c.id} data-status={c.status}>
      <div className="row between">
        <Link href={`/settings/connectors/${c.id}`} className="clamp grow">
          <bdi>{c.name}</bdi>
        </Link>
        <Status of={c} />
      </div>
      <p className="row small muted">
        <code>{c.prefix}</code>
        <span>{t(`kind.${c.kind}`)}</span>
        <Counts of={c.commands} />
      </p>
      <p className={`small muted ${css.address}`}>{addressOf(c)}</p>
    </li>
  );
}
