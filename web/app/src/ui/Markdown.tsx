import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { texts } from './texts';

// Text of a model is a stranger's: no raw HTML (the library drops it), no image is
// loaded (its address would tell somebody), and a link says where it goes.
function Picture({ alt }: { alt?: string }) {
  const t = texts.use();
  return <span className="muted">[{t('image', { alt: alt ?? '' })}]</span>;
}

// It scrolls by itself, with the keyboard too.
function Table({ children }: { children?: ReactNode }) {
  const t = texts.use();
  return (
    <div className="scroll" role="group" aria-label={t('table')} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

const components: Components = {
  img: ({ alt }) => <Picture alt={alt} />,
  a: ({ href, children }) =>
    /^(https?:|mailto:)/.test(href ?? '') ? (
      <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  table: ({ children }) => <Table>{children}</Table>,
  input: ({ checked }) => <span aria-hidden="true">{checked ? '☑' : '☐'}</span>,
};
const plugins = [remarkGfm];

/** Markdown, parsed once for each text. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="md">
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
