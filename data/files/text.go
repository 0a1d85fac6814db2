package files

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

var (
	markUTF8       = []byte("\xef\xbb\xbf")
	markLittle     = []byte("\xff\xfe")
	markBig        = []byte("\xfe\xff")
	errUnsupported = domain.Errorf(userdata.CodeUnsupportedFile,
		"This is neither a picture (PNG, JPEG, GIF, WebP) nor a text in UTF-8. Nothing was stored.")
	errUTF16 = domain.Errorf(userdata.CodeUnsupportedFile,
		"This begins like a text in UTF-16 and is none. Nothing was stored: save it as UTF-8.")
)

// plainText is a text as it is stored: in UTF-8, without a byte order mark. Text in UTF-16 is recognised
// by its mark; without one it is full of zeros, unlike any text.
func plainText(content []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(content, markLittle):
		return fromUTF16(content[2:], binary.LittleEndian)
	case bytes.HasPrefix(content, markBig):
		return fromUTF16(content[2:], binary.BigEndian)
	}
	content = bytes.TrimPrefix(content, markUTF8)
	if !utf8.Valid(content) || hasZero(content) {
		return nil, errUnsupported
	}
	return content, nil
}

func fromUTF16(content []byte, order binary.ByteOrder) ([]byte, error) {
	if len(content)%2 != 0 {
		return nil, errUTF16
	}
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = order.Uint16(content[2*i:])
	}
	text := make([]byte, 0, len(content))
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) {
			if i+1 == len(units) {
				return nil, errUTF16
			}
			if i++; utf16.DecodeRune(r, rune(units[i])) == utf8.RuneError {
				return nil, errUTF16
			}
			r = utf16.DecodeRune(r, rune(units[i]))
		}
		text = utf8.AppendRune(text, r)
	}
	if hasZero(text) {
		return nil, errUTF16
	}
	if len(text) > userdata.MaxFileBytes {
		return nil, domain.Errorf(domain.CodeTooLarge, "As UTF-8 the text is larger than %d bytes. Nothing was stored.", userdata.MaxFileBytes)
	}
	return text, nil
}

func hasZero(text []byte) bool { return bytes.IndexByte(text, 0) >= 0 }

// sentence makes an error one for people.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + ". Nothing was stored."
}
