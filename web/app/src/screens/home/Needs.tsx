import { Link } from 'wouter';
import { $api } from '../../api/client';
import { Read } from '../../ui/Read';
import { useWords } from '../../ui/session';
import { Time } from '../../ui/Time';
import { Card } from './Card';
import { texts } from './texts';

/** The first few questions that are open; the screen of approvals has them all. */
export function Needs() {
  const t = texts.use();
  const words = useWords();
  const open = $api.useQuery('get', '/v1/approvals', { params: { query: { status: 'open', limit: 200 } } });
  const n = open.data?.data.length ?? 0;
  return (
    <Card
      title={t('needs')}
      name="needs"
      count={n}
      more={n > 0 ? { href: '/approvals', text: t('needs.open') } : undefined}
    >
      <Read query={open}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{t('needs.none')}</p>
          ) : (
            <ul className="plain stack tight">
              {data.slice(0, 5).map((a) => (
                <li key={a.id} data-approval={a.id}>
                  <Link href="/approvals" className="clamp">
                    {a.text || a.actions[0]?.text || words.approval(a.kind)}
                  </Link>
                  <span className="muted small">
                    {words.approval(a.kind)} · <Time at={a.created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </Card>
  );
}
