import { memo, useMemo, type ReactNode } from 'react';
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './MarkdownCode';
import { addCaret, alignFigures, fewTags, languageOf, textOf } from './markdownTree';
import { texts } from './textsOfMarkdown';
import css from './Markdown.module.css';

// A model's text is untrusted: raw HTML is shown as text, images are not loaded (a request could leak data in its
// address), and links show their host.
function Picture({ alt }: { alt?: string }) {
  const t = texts.use();
  return <span className="muted">[{t('image', { alt: alt ?? '' })}]</span>;
}

// It scrolls on its own, with the keyboard too.
function Table({ children }: { children?: ReactNode }) {
  const t = texts.use();
  return (
    <div className="scroll" role="group" aria-label={t('table')} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

function Code({ node }: ExtraProps) {
  const code = node?.children[0];
  if (code?.type !== 'element') return null;
  const text = textOf(code).replace(/\n$/, '');
  return <CodeBlock code={text} language={languageOf(code)} />;
}

type Heading = { children?: ReactNode };
// The title of the screen is the h1, so headings of an answer start below it. Their size follows their own level.
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
  h1: ({ children }: Heading) => <h2 className={css.h1}>{children}</h2>,
  h2: ({ children }: Heading) => <h3 className={css.h2}>{children}</h3>,
  h3: ({ children }: Heading) => <h4 className={css.h3}>{children}</h4>,
  h4: ({ children }: Heading) => <h5 className={css.h3}>{children}</h5>,
  h5: ({ children }: Heading) => <h6 className={css.h3}>{children}</h6>,
  h6: ({ children }: Heading) => <h6 className={css.h3}>{children}</h6>,
  table: ({ children }) => <Table>{children}</Table>,
  pre: Code,
  input: ({ checked }) => (
    <span className={css.box} role="img" aria-label={texts.t(checked ? 'done' : 'open')}>
      {checked ? '☑' : '☐'}
    </span>
  ),
};
const remark = [remarkGfm];
const settled = [fewTags, alignFigures];
const growing = [fewTags, alignFigures, addCaret];

interface Props {
  text: string;
  /** It is streaming: a caret is shown after the last word. */
  caret?: boolean;
}

/** Markdown, parsed once per text. */
export const Markdown = memo(function Markdown({ text, caret = false }: Props) {
  const content = useMemo(
    () => (
      <ReactMarkdown remarkPlugins={remark} rehypePlugins={caret ? growing : settled} components={components}>
        {text}
      </ReactMarkdown>
    ),
    [text, caret],
  );
  return <div className={`md ${css.text}`}>{content}</div>;
});
