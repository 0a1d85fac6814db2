import { CalendarX, MessageSquareWarning, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { saidBy } from '../../approvals/changes';
import { useDecide, type Approval } from '../../approvals/decide';
import { KindIcon } from '../../approvals/KindIcon';
import { titleOf } from '../../approvals/title';
import type { Report, TroubledAutomation, Troubles } from '../../shell/troubles';
import { Icon } from '../../ui/Icon';
import { ProblemBox } from '../../ui/Problem';
import { useWords } from '../../ui/session';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import styles from './home.module.css';
import { Section } from './Section';
import { texts } from './texts';

const most = 5;

interface Props {
  approvals: Approval[];
  troubles: Troubles;
}

/** The items that need a person, each with its action. */
export function Needs({ approvals, troubles }: Props) {
  const t = texts.use();
  const n = approvals.length + troubles.automations.length + troubles.chats.length + troubles.others.length;
  const oldest = approvals.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  return (
    <Section
      title={t('needs')}
      name="needs"
      count={n}
      more={approvals.length > most ? { href: '/approvals', text: t('needs.all', { n: approvals.length }) } : undefined}
    >
      <ul className="rows">
        {oldest.slice(0, most).map((a) => (
          <Asked key={a.id} approval={a} />
        ))}
        {troubles.automations.map((a) => (
          <Automation key={a.id} of={a} />
        ))}
        {troubles.chats.map((report) => (
          <Chat key={report.id} report={report} />
        ))}
        {troubles.others.map((report) => (
          <Other key={report.id} report={report} />
        ))}
      </ul>
    </Section>
  );
}

interface RowProps {
  icon: ReactNode;
  text: ReactNode;
  sub: ReactNode;
  children: ReactNode;
}

const Row = ({ icon, text, sub, children, ...rest }: RowProps & Record<`data-${string}`, string>) => (
  <li className={styles.row} {...rest}>
    <span className={styles.icon}>{icon}</span>
    <div className="grow">
      {text}
      <p className="meta">{sub}</p>
    </div>
    <div className={styles.buttons}>{children}</div>
  </li>
);

/** A question with its text, or changes: one that is fully described by its line can be approved in place. */
function Asked({ approval }: { approval: Approval }) {
  const t = texts.use();
  const words = useWords();
  const { run, busy, problem, clear } = useDecide(approval);
  const at = `/approvals/${approval.id}`;
  const acts = approval.kind === 'actions';
  const title = titleOf(approval) || words.approval(approval.kind);
  const name = title.slice(0, 80);
  const [first, ...others] = acts ? approval.actions : [];
  const whole = first !== undefined && !others.length && saidBy(first.text, first);
  return (
    <Row
      data-approval={approval.id}
      icon={<KindIcon kind={approval.kind} />}
      text={
        <p className={whole ? undefined : 'clamp'}>
          <bdi>{title}</bdi>
        </p>
      }
      sub={
        <>
          {words.approval(approval.kind)} · <Time at={approval.created_at} />
        </>
      }
    >
      {whole && (
        <button
          type="button"
          className="small"
          disabled={busy}
          aria-label={t('of', { what: t('approve'), name })}
          onClick={() => void run({ approved: true })}
        >
          {t('approve')}
        </button>
      )}
      <Link href={at} className="button small" aria-label={t('of', { what: t(acts ? 'review' : 'answer'), name })}>
        {t(acts ? 'review' : 'answer')}
      </Link>
      {problem != null && <ProblemBox thrown={problem} onClose={clear} />}
    </Row>
  );
}

/** An automation that the server paused, or whose run cannot reach the AI. */
function Automation({ of }: { of: TroubledAutomation }) {
  const t = texts.use();
  const at = of.run?.waiting_context?.at;
  return (
    <Row
      data-trouble={of.kind}
      icon={<Icon of={CalendarX} />}
      text={
        <p className="clamp">
          <Link href={`/automations/${of.id}`}>
            <bdi>{visible(of.name)}</bdi>
          </Link>
        </p>
      }
      sub={
        <>
          {t(`trouble.${of.kind}`)}
          {of.kind === 'unreachable' && at && (
            <>
              {' '}
              {t('trouble.again')} <Time at={at} />
            </>
          )}
        </>
      }
    >
      {of.kind === 'unreachable' ? (
        <Link href="/settings/providers" className="button small">
          {t('trouble.provider')}
        </Link>
      ) : (
        <Link href={`/automations/${of.id}`} className="button small">
          {t('trouble.look')}
        </Link>
      )}
    </Row>
  );
}

/** A chat that failed while it was not open. */
function Chat({ report }: { report: Report }) {
  const t = texts.use();
  return (
    <Row
      data-trouble={report.code}
      icon={<Icon of={MessageSquareWarning} />}
      text={<p className="clamp">{report.text}</p>}
      sub={<Time at={new Date(report.at).toISOString()} />}
    >
      <Link href={`/chat/${report.id}`} className="button small">
        {t('trouble.chat')}
      </Link>
    </Row>
  );
}

function Other({ report }: { report: Report }) {
  const t = texts.use();
  const href = report.code.startsWith('webhook') ? '/settings/webhooks' : '/automations';
  return (
    <Row
      data-trouble={report.code}
      icon={<Icon of={TriangleAlert} />}
      text={<p className="clamp">{report.text}</p>}
      sub={<Time at={new Date(report.at).toISOString()} />}
    >
      <Link href={href} className="button small">
        {t('trouble.look')}
      </Link>
    </Row>
  );
}
