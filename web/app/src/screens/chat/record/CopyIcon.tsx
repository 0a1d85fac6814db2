import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { announce } from '../../../shell/announce';
import { copyText } from '../../../ui/Copy';
import { IconButton } from '../../../ui/Icon';
import { texts } from '../../../ui/texts';

/** Copies the text of a message. */
export function CopyIcon({ text }: { text: string }) {
  const t = texts.use();
  const [done, setDone] = useState(false);
  const copy = async () => {
    await copyText(text);
    announce(t('copied'));
    setDone(true);
    setTimeout(() => setDone(false), 2000);
  };
  return (
    <IconButton
      of={done ? Check : Copy}
      label={t(done ? 'copied' : 'copy')}
      className="plain small"
      data-act="copy"
      onClick={() => void copy()}
    />
  );
}
