package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/fermata-dev/fermata/api"
)

// Screen writes to a terminal or a pipe: streaming text, whole lines, and on a terminal one transient line
// with the current activity.
type Screen struct {
	Out      io.Writer
	Terminal bool
	Colour   bool
	midLine  bool
	passing  bool
}

// Text adds to the streaming text.
func (s *Screen) Text(text string) {
	if text == "" {
		return
	}
	s.wipe()
	text = Printable(text)
	_, _ = io.WriteString(s.Out, text) // a closed terminal ends the program anyway
	s.midLine = !strings.HasSuffix(text, "\n")
}

// Line writes a whole line.
func (s *Screen) Line(format string, args ...any) {
	s.End()
	_, _ = fmt.Fprintln(s.Out, Printable(fmt.Sprintf(format, args...)))
}

// Dim is line, for less important text.
func (s *Screen) Dim(format string, args ...any) {
	s.End()
	_, _ = fmt.Fprintln(s.Out, s.faint(Printable(fmt.Sprintf(format, args...))))
}

// Ask writes a question and leaves the cursor after it.
func (s *Screen) Ask(question string) {
	if question == "" {
		return // a question stays where it was written
	}
	s.End()
	_, _ = io.WriteString(s.Out, Printable(question)+" ")
	s.midLine = true
}

// Took: the person ended the line by the Enter key; the terminal has echoed it.
func (s *Screen) Took(string) { s.midLine = false }

// Pass shows the current activity, in a line that the next output overwrites. It does nothing within a
// text, or in a pipe.
func (s *Screen) Pass(text string) {
	if !s.Terminal || s.midLine {
		return
	}
	s.wipe()
	if text != "" {
		_, _ = io.WriteString(s.Out, s.faint("· "+text))
		s.passing = true
	}
}

// End ends an unfinished line.
func (s *Screen) End() {
	s.wipe()
	if s.midLine {
		_, _ = io.WriteString(s.Out, "\n")
		s.midLine = false
	}
}

func (s *Screen) wipe() {
	if s.passing {
		_, _ = io.WriteString(s.Out, "\r\x1b[2K")
		s.passing = false
	}
}

func (s *Screen) faint(text string) string {
	if !s.Colour {
		return text
	}
	return "\x1b[2m" + text + "\x1b[0m"
}

// Printable escapes control characters: a model's text must not move the cursor, change the title, ring
// the bell or reorder the text. Windows line endings are normalised.
func Printable(text string) string {
	return api.Printable(strings.ReplaceAll(text, "\r\n", "\n"))
}

// Table prints rows under a heading. Cells are names and descriptions that people base decisions on, so
// invisible characters are escaped too.
func Table(out io.Writer, head []string, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.Join(head, "\t")) // Flush reports errors
	for _, row := range rows {
		for i := range row {
			row[i] = api.Visible(strings.Join(strings.Fields(Printable(row[i])), " "))
		}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print a table: %w", err)
	}
	return nil
}

// PrintJSON prints a value for programs.
func PrintJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
