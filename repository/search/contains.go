package search

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// Contains is the condition that a text, an SQL expression, contains part, ignoring case and accents as the search
// does; everything else counts. NULL contains nothing.
//
// SQLite folds the text with a function of this program. PostgreSQL takes the accents away with its own functions and
// compares with a pattern that lists the forms of each letter: what its lower() does depends on the locale of the database.
func Contains(d *sqldb.Dialect, q *sqldb.Query, text, part string) string {
	part = foldText(part)
	if d.Name == "sqlite" {
		ascii := "FALSE"
		if isASCII(part) {
			ascii = "INSTR(LOWER(" + text + "), " + q.Bind(part) + ") > 0" // LOWER knows the letters of ASCII
		}
		return "COALESCE(CASE WHEN OCTET_LENGTH(" + text + ") = LENGTH(" + text + ") THEN " + ascii + " ELSE INSTR(" +
			foldFunction + "(" + text + "), " + q.Bind(part) + ") > 0 END, FALSE)"
	}
	folded := "regexp_replace(normalize(" + text + ", NFKD), '" + markPattern + "', '', 'g')"
	for _, letter := range slices.Sorted(maps.Keys(spellings)) {
		if letters := spellings[letter]; len(letters) > 1 && letters[0] < utf8.RuneSelf {
			for _, form := range []rune{letter, unicode.ToUpper(letter)} {
				folded = fmt.Sprintf("replace(%s, '%c', '%s')", folded, form, letters)
			}
		}
	}
	ascii := "FALSE"
	if isASCII(part) {
		ascii = "strpos(lower(plain COLLATE \"C\"), " + q.Bind(part) + ") > 0"
	}
	return "COALESCE((SELECT CASE WHEN octet_length(plain) = length(plain) THEN " + ascii + " ELSE plain ~ " + q.Bind(pattern(part)) +
		" END FROM (SELECT CASE WHEN octet_length(original) = length(original) THEN original ELSE " +
		strings.Replace(folded, text, "original", 1) + " END AS plain FROM (SELECT " + text +
		" AS original OFFSET 0) AS texts OFFSET 0) AS folded), FALSE)"
}

// foldFunction is foldText for SQLite.
const foldFunction = "fermata_fold"

func init() { //nolint:gochecknoinits // a connection has the functions that exist when it is opened
	fold := func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		switch text := args[0].(type) {
		case nil:
			return nil, nil //nolint:nilnil // SQL's NULL
		case string:
			return foldText(text), nil
		default:
			return nil, errors.New(foldFunction + " is for texts")
		}
	}
	sqlite.MustRegisterDeterministicScalarFunction(foldFunction, 1, fold)
}

// foldText is a text in small letters without accents; what separates words stays as it is.
func foldText(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if int(r) < len(latin) {
			out = append(out, latin[r]...)
		} else {
			out = append(out, foldRune(r)...)
		}
	}
	return string(out)
}

// foldRune is foldText of one character. The characters of a text can be decomposed one by one: only their marks would
// come in another order, and these are left out.
func foldRune(r rune) string {
	var out strings.Builder
	for _, c := range norm.NFKD.String(string(r)) {
		if !isMark(c) {
			out.WriteString(foldLetter(c))
		}
	}
	return out.String()
}

// latin is foldRune for the characters of most texts.
var latin = func() (table [0x250]string) {
	for r := range table {
		table[r] = foldRune(rune(r))
	}
	return table
}()

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isMark is whether a character of a decomposed text only changes the one before it.
func isMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) }

// foldLetter is a decomposed letter as it is compared.
func foldLetter(r rune) string {
	r = unicode.ToLower(r)
	if letters, ok := spellings[r]; ok {
		return letters
	}
	return string(r)
}

// markPattern is isMark as a regular expression of PostgreSQL.
var markPattern = func() string {
	var out strings.Builder
	out.WriteByte('[')
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if !isMark(r) {
			continue
		}
		first := r
		for isMark(r + 1) {
			r++
		}
		out.WriteString(escaped(first) + "-" + escaped(r))
	}
	out.WriteString("]+")
	return out.String()
}()

// escaped is a character in a regular expression of PostgreSQL, whatever it means there.
func escaped(r rune) string {
	if r > 0xFFFF {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// pattern finds a folded text in a decomposed one without marks: each letter stands for all of its forms.
func pattern(folded string) string {
	var out strings.Builder
	for _, r := range folded {
		out.WriteByte('[')
		for _, form := range forms(r) {
			out.WriteString(escaped(form))
		}
		out.WriteByte(']')
	}
	return out.String()
}

// forms are the characters that fold to a character.
func forms(r rune) []rune {
	found := []rune{r}
	add := func(letter rune) {
		for form := unicode.SimpleFold(letter); ; form = unicode.SimpleFold(form) {
			if foldLetter(form) == string(r) && !slices.Contains(found, form) {
				found = append(found, form)
			}
			if form == letter {
				return
			}
		}
	}
	add(r)
	for letter, letters := range spellings {
		if letters == string(r) {
			add(letter)
		}
	}
	slices.Sort(found)
	return found
}
