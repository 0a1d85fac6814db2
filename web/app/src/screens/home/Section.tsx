import { useId, type ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './home.module.css';

interface Props {
  title: string;
  count?: number;
  more?: { href: string; text: string };
  name: string;
  children: ReactNode;
}

/** A section of the start page: a heading beside its rows. Omitted if empty. */
export function Section({ title, count, more, name, children }: Props) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id} data-card={name}>
      <h2 id={id}>
        {title}
        {count ? (
          <>
            {' '}
            <span className="badge">{count}</span>
          </>
        ) : null}
      </h2>
      <div className={styles.body}>
        {children}
        {more && (
          <p className={styles.more}>
            <Link href={more.href}>{more.text}</Link>
          </p>
        )}
      </div>
    </section>
  );
}
