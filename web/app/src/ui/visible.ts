// Texts to approve are shown exactly: invisible characters, and those that change how others look, are escaped
// ("\u202e"). The server does the same (domain/visible.go) in its own texts; this is for raw values.

const suspects = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const fine = /^[ \n\t\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]$/u; // and visible format characters
const joined =
  /\p{sc=Arab}|\p{sc=Syrc}|\p{sc=Mong}|\p{sc=Deva}|\p{sc=Beng}|\p{sc=Guru}|\p{sc=Gujr}|\p{sc=Orya}|\p{sc=Taml}|\p{sc=Telu}|\p{sc=Knda}|\p{sc=Mlym}|\p{sc=Sinh}|\p{sc=Khmr}|\p{sc=Mymr}|\p{sc=Tibt}/u;
const emojiPart = /^(?:\p{So}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])$/u;
const varied = /^(?:\p{S}|\p{Po}|\ufe0f|[\u{1f3fb}-\u{1f3ff}]|[0-9#*])$/u;
const wide = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3001-\u303f\uff01-\uff60]/u;

/** Whether a potentially misleading character is used as its script requires. */
function belongs(c: string, before: string, after: string): boolean {
  if (c === '\u200c' || c === '\u200d')
    return (
      (joined.test(before) && joined.test(after)) || (c === '\u200d' && emojiPart.test(before) && /\p{So}/u.test(after))
    );
  if (c === '\ufe0e' || c === '\ufe0f') return varied.test(before);
  if (c === '\u00a0' || c === '\u202f')
    return before === '«' || /[:;!?»%€$£°]/u.test(after) || (/\p{Nd}/u.test(before) && /\p{Nd}/u.test(after));
  if (c === '\u3000') return wide.test(before) || wide.test(after);
  return c >= '\u{e0100}' && c.codePointAt(0)! >= 0xe0100 && c.codePointAt(0)! <= 0xe01ef && /\p{sc=Han}/u.test(before);
}

const hex = (c: string) => {
  const n = c.codePointAt(0)!;
  return n > 0xffff ? `\\U${n.toString(16).padStart(8, '0')}` : `\\u${n.toString(16).padStart(4, '0')}`;
};

/** The text with invisible characters escaped. */
export function visible(text: string): string {
  return text.replace(suspects, (c, at: number) => {
    if (fine.test(c)) return c;
    const before = /.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? '';
    const after = String.fromCodePoint(text.codePointAt(at + c.length) ?? 0);
    return belongs(c, before, after) ? c : hex(c);
  });
}
