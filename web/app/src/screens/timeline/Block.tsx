import { Copy } from '../../ui/Copy';
import styles from './timeline.module.css';

/** A longer text in its own box. */
export function Block({ title, text }: { title: string; text: string }) {
  return (
    <section className="stack tight">
      <header className="row between">
        <h3>{title}</h3>
        <Copy text={text} />
      </header>
      <pre className={styles.block} tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  );
}
