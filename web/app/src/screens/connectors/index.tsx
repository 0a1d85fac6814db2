import { Globe, Hourglass, Plug } from 'lucide-react';
import { Link } from 'wouter';
import { $api } from '../../api/client';
import { Empty } from '../../ui/Empty';
import { Read } from '../../ui/Read';
import { visible } from '../../ui/visible';
import { Line, Lines } from '../rows/Line';
import css from './connectors.module.css';
import { addressOf, type Connector } from './connector';
import { New } from './form/New';
import { One } from './One';
import { Changed, Counted, Status } from './Status';
import { texts } from './texts';

const often = 10_000; // calls change a connector's state without an event

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
      <Read query={connectors} rows={4}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>
              <p>
                <strong>{t('none')}</strong>
              </p>
              <p>{t('none.what')}</p>
            </Empty>
          ) : (
            <Lines>
              {data.map((c) => (
                <Row key={c.id} of={c} />
              ))}
            </Lines>
          )
        }
      </Read>
    </div>
  );
}

const icons = { mcp: Plug, http: Globe, long_running: Hourglass } as const;

/** One connector in a row: kind, address, enabled commands and state. */
function Row({ of: c }: { of: Connector }) {
  const t = texts.use();
  return (
    <li data-connector={c.id} data-status={c.status}>
      <Line
        icon={icons[c.kind]}
        name={
          <Link href={`/settings/connectors/${c.id}`}>
            <bdi>{visible(c.name)}</bdi>
          </Link>
        }
        meta={
          <>
            <span>{t(`kind.${c.kind}`)}</span>
            <code>{c.prefix}</code>
            <span className={css.address}>{addressOf(c)}</span>
          </>
        }
        facts={[<Counted key="n" of={c.commands} />]}
        status={
          <>
            <Changed of={c.commands} />
            <Status of={c} />
          </>
        }
      />
    </li>
  );
}
