package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Unmarshal is json.Unmarshal, except that it accepts 5.0 and 1e3 as integers, like JSON Schema and like
// programs with a single number type write them. In raw values such numbers are then rewritten in digits.
func Unmarshal(text []byte, dst any) error { return inAnySpelling(json.Unmarshal, text, dst) }

// Strictly is Unmarshal that rejects unknown fields.
func Strictly(text []byte, dst any) error {
	return inAnySpelling(func(text []byte, dst any) error {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		return decoder.Decode(dst) //nolint:wrapcheck // the caller reports it
	}, text, dst)
}

func inAnySpelling(read func([]byte, any) error, text []byte, dst any) error {
	err := read(text, dst)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && strings.HasPrefix(wrong.Value, "number ") {
		if plain := inDigits(string(text)); plain != string(text) && read([]byte(plain), dst) == nil {
			return nil
		}
	}
	return err
}

// Whole is the value of an integer in any spelling.
func Whole(number string) (int64, bool) {
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return n, true
	}
	digits, exponent := number, 0
	if at := strings.IndexAny(number, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(number[at+1:]); err != nil {
			return 0, false
		}
		digits = number[:at]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(strings.TrimPrefix(whole, "-")+fraction, "0")
	if digits == "" {
		return 0, strings.TrimPrefix(whole, "-") != "" // zero, with any exponent
	}
	short := strings.TrimRight(digits, "0")
	if exponent += len(digits) - len(short); exponent < 0 || exponent > maxDigits {
		return 0, false
	}
	if strings.HasPrefix(whole, "-") {
		short = "-" + short
	}
	n, err := strconv.ParseInt(short+strings.Repeat("0", exponent), 10, 64)
	return n, err == nil
}

// maxDigits is the number of digits of an int64.
const maxDigits = 19

// inDigits rewrites the integers of a JSON text in digits alone.
func inDigits(text string) string {
	var out strings.Builder
	s := scanner{text: text}
	kept := 0 // the text before it has been written
	for s.space() != 0 {
		from := s.at
		switch c := text[from]; {
		case c == '"':
			if _, err := s.quoted(); err != nil {
				return text
			}
		case c == '-' || c-'0' <= 9:
			number, err := s.number()
			if err != nil {
				return text
			}
			if n, ok := Whole(number); ok && strings.ContainsAny(number, ".eE") {
				out.WriteString(text[kept:from])
				out.WriteString(strconv.FormatInt(n, 10))
				kept = s.at
			}
		default:
			s.at++
		}
	}
	out.WriteString(text[kept:])
	return out.String()
}
