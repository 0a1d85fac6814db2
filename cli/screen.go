package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/fermata-dev/fermata/api"
)

// screen writes to a terminal or a pipe: streaming text, whole lines, and on a terminal one transient line
// with the current activity.
type screen struct {
	out      io.Writer
	terminal bool
	colour   bool
	midLine  bool
	passing  bool
}

// text adds to the streaming text.
func (s *screen) text(text string) {
	if text == "" {
		return
	}
	s.wipe()
	text = printable(text)
	_, _ = io.WriteString(s.out, text) // a closed terminal ends the program anyway
	s.midLine = !strings.HasSuffix(text, "\n")
}

// line writes a whole line.
func (s *screen) line(format string, args ...any) {
	s.end()
	_, _ = fmt.Fprintln(s.out, printable(fmt.Sprintf(format, args...)))
}

// dim is line, for less important text.
func (s *screen) dim(format string, args ...any) {
	s.end()
	_, _ = fmt.Fprintln(s.out, s.faint(printable(fmt.Sprintf(format, args...))))
}

// ask writes a question and leaves the cursor after it.
func (s *screen) ask(question string) {
	if question == "" {
		return // a question stays where it was written
	}
	s.end()
	_, _ = io.WriteString(s.out, printable(question)+" ")
	s.midLine = true
}

// took: the person ended the line by the Enter key; the terminal has echoed it.
func (s *screen) took(string) { s.midLine = false }

// pass shows the current activity, in a line that the next output overwrites. It does nothing within a
// text, or in a pipe.
func (s *screen) pass(text string) {
	if !s.terminal || s.midLine {
		return
	}
	s.wipe()
	if text != "" {
		_, _ = io.WriteString(s.out, s.faint("· "+text))
		s.passing = true
	}
}

// end ends an unfinished line.
func (s *screen) end() {
	s.wipe()
	if s.midLine {
		_, _ = io.WriteString(s.out, "\n")
		s.midLine = false
	}
}

func (s *screen) wipe() {
	if s.passing {
		_, _ = io.WriteString(s.out, "\r\x1b[2K")
		s.passing = false
	}
}

func (s *screen) faint(text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[2m" + text + "\x1b[0m"
}

// printable escapes control characters: a model's text must not move the cursor, change the title, ring
// the bell or reorder the text. Windows line endings are normalised.
func printable(text string) string {
	return api.Printable(strings.ReplaceAll(text, "\r\n", "\n"))
}

// table prints rows under a heading. Cells are names and descriptions that people base decisions on, so
// invisible characters are escaped too.
func table(out io.Writer, head []string, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.Join(head, "\t")) // Flush reports errors
	for _, row := range rows {
		for i := range row {
			row[i] = api.Visible(strings.Join(strings.Fields(printable(row[i])), " "))
		}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print a table: %w", err)
	}
	return nil
}

// printJSON prints a value for programs.
func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
