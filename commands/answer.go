package commands

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// answer is what a query found: a head for the AI to read, and either one body or
// rows that can be cut.
type answer struct {
	head   string
	key    string            // name of the rows in the result
	rows   []json.RawMessage // one line each
	body   json.RawMessage   // instead of rows
	cursor string            // of the next page; "" at the end
	// after returns the cursor after the first n rows; nil without paging.
	after func(ctx context.Context, n int) (string, error)
	note  string
	count domain.Text // what was found, in words for people
	// ask is what the call needs of a person before it can be answered; it may come with an error.
	ask *domain.OutsideAsk
	// cancels is the task that the command cancels; "": none.
	cancels string
	adds    []string // the commands whose definitions the session is offered from now on
	// unsaid: it contains no external content, although the command's results may.
	unsaid bool
}

// size is how many bytes the answer has for the AI.
func (a *answer) size() int {
	n := len(a.head) + len(a.body) + 200
	for _, row := range a.rows {
		n += len(row) + 1
	}
	return n
}

// text is what the AI reads.
func (a *answer) text() string {
	var b strings.Builder
	b.WriteString(a.head)
	if len(a.body) > 0 {
		b.WriteString("\n")
		b.Write(a.body)
	}
	for _, row := range a.rows {
		b.WriteString("\n")
		b.Write(row)
	}
	return b.String()
}

// result is the same as JSON, for clients.
func (a *answer) result() json.RawMessage {
	if a.key == "" {
		if len(a.body) == 0 || !json.Valid(a.body) {
			return jsonbody.Encode(map[string]string{"text": string(a.body)})
		}
		return a.body
	}
	fields := map[string]any{a.key: a.rows}
	if a.rows == nil {
		fields[a.key] = []string{}
	}
	if a.cursor != "" {
		fields["next_cursor"] = a.cursor
	}
	return jsonbody.Encode(fields)
}

// cut shortens the answer to about so many bytes, and notes it: never silently.
func (a *answer) cut(ctx context.Context, most int) error {
	if a.size() <= most {
		return nil
	}
	if a.key == "" {
		a.cutBody(most)
		return nil
	}
	left, n := most-len(a.head)-200, 0
	for n < len(a.rows) && left >= len(a.rows[n])+1 {
		left -= len(a.rows[n]) + 1
		n++
	}
	total := len(a.rows)
	if n == 0 {
		// A row that is larger than the limit is shown in part, so that the cursor advances and the same
		// page is not requested again and again.
		n = 1
		// Half the room, because quoting JSON once more makes it longer.
		part := a.rows[0][:min(max(left, 200)/2, len(a.rows[0]))]
		a.rows[0] = jsonbody.Encode(cutRow{strings.ToValidUTF8(string(part), "")})
	}
	a.rows = a.rows[:n]
	a.note = strings.TrimSpace(
		a.note + " " + domain.Plural(
			n,
			"row is",
			"rows are",
		) + " shown of " + domain.Plural(
			total,
			"row",
			"rows",
		) + " read: the rest would not fit.",
	)
	if a.after == nil {
		a.note += " Ask for less."
		return nil
	}
	var err error
	a.cursor, err = a.after(ctx, n)
	return err
}

// cutRow is the beginning of a row that is too large to be shown whole.
type cutRow struct {
	Cut string `json:"cut"`
}

func (a *answer) cutBody(most int) {
	room := max(most-len(a.head)-200, 200)
	full := len(a.body)
	text := strings.ToValidUTF8(string(a.body[:min(room, full)]), "")
	a.body = []byte(text)
	a.note = "The text is cut: it has " + domain.Plural(
		full,
		"byte",
		"bytes",
	) + ", of which the first " + domain.Plural(
		len(text),
		"is",
		"are",
	) + " shown."
}

// finish adds to the note how to read on.
func (a *answer) finish() string {
	notes := []string{}
	if a.note != "" {
		notes = append(notes, a.note)
	}
	if a.cursor != "" {
		notes = append(notes, "There is more: go on with cursor "+string(jsonbody.Encode(a.cursor))+".")
	}
	return strings.Join(notes, " ")
}
