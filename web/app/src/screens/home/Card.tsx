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

/** A part of the start page: a heading, its content, and the way to all of it. */
export function Card({ title, count, more, name, children }: Props) {
  const id = useId();
  return (
    <section className="card stack tight" aria-labelledby={id} data-card={name}>
      <header className={styles.head}>
        <h2 id={id} className="grow">
          {title}
          {count ? (
            <>
              {' '}
              <span className="badge">{count}</span>
            </>
          ) : null}
        </h2>
        {more && (
          <Link href={more.href} className="small">
            {more.text}
          </Link>
        )}
      </header>
      {children}
    </section>
  );
}
