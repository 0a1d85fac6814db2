import { Fragment, type ReactNode } from 'react';

/** A sentence with an element in it: a link, or a time that updates. */
export function Sentence({ text, parts }: { text: string; parts: Record<string, ReactNode> }) {
  return (
    <>
      {text.split(/(\{\w+\})/).map((piece, i) => (
        <Fragment key={i}>
          {parts[piece.slice(1, -1)] !== undefined && piece.startsWith('{') ? parts[piece.slice(1, -1)] : piece}
        </Fragment>
      ))}
    </>
  );
}
