import { useEffect, useState } from 'react';
import { Copy } from './Copy';
import { texts } from './textsOfMarkdown';
import css from './Markdown.module.css';

type Colours = typeof import('./markdownColours');
type Piece = [kind: string, text: string];

const longest = 20_000; // the most characters that are highlighted: more would slow the page down
let colours: Colours | null = null; // loaded with the first block

/** The highlighted tokens of a code, once the highlighter is loaded. */
function usePieces(code: string, language: string, wanted: boolean): Piece[] | null {
  const [loaded, load] = useState(colours);
  const fits = wanted && code.length <= longest;
  useEffect(() => {
    if (loaded || !fits) return undefined;
    let here = true;
    import('./markdownColours').then(
      (module) => {
        colours = module;
        if (here) load(module);
      },
      () => {}, // it is not highlighted
    );
    return () => {
      here = false;
    };
  }, [loaded, fits]);
  return fits && loaded ? loaded.piecesOf(code, language) : null;
}

interface Props {
  code: string;
  language: string;
  /** It is still streaming. */
  growing?: boolean;
}

/** A block of code: its language, a button to copy it, one to wrap its lines. */
export function CodeBlock({ code, language, growing = false }: Props) {
  const t = texts.use();
  const [wraps, wrap] = useState(false);
  const pieces = usePieces(code, language, !growing);
  return (
    <figure className={css.code} data-code={language}>
      <figcaption>
        <span className="grow">{language || t('code')}</span>
        <button type="button" className="plain small" aria-pressed={wraps} onClick={() => wrap(!wraps)}>
          {t('wrap')}
        </button>
        <Copy text={code} />
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <pre data-wraps={wraps} tabIndex={0} aria-label={t('code')} role="group">
        <code>
          {pieces
            ? // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text
              pieces.map(([kind, text], i) =>
                kind ? (
                  <i key={i} data-kind={kind}>
                    {text}
                  </i>
                ) : (
                  text
                ),
              )
            : code}
          {growing && <span className="caret" aria-hidden="true" />}
        </code>
      </pre>
    </figure>
  );
}
