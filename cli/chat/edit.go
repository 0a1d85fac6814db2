package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/card"
	"github.com/fermata-dev/fermata/cli/remote"
)

// editable reports whether the actions of an approval may be changed before it is approved.
func (q *asking) editable() bool {
	return q.approval.Kind == api.ApprovalActions && len(q.approval.Actions) > 0
}

// wantsEdit reports whether the person requests the editor.
func (q *asking) wantsEdit(text string) bool {
	word := strings.ToLower(strings.TrimSpace(text))
	return q.editable() && len(q.edits.asked) == 0 && (word == "e" || word == "edit")
}

// editor is the person's editor, "" if none is configured.
func editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if program := strings.TrimSpace(os.Getenv(name)); program != "" {
			return program
		}
	}
	return ""
}

// editorCommand opens a file in an editor, whose command may have flags, parsed by a shell.
func editorCommand(ctx context.Context, program, path string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(program), path)
		return exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the person's own editor
	}
	return exec.CommandContext(ctx, "sh", "-c", program+` "$1"`, program, path) //nolint:gosec // the person's own editor
}

// inEditor opens a text in an editor, in a private file, and returns the result. Ctrl-C in an editor that
// does not handle it ends only the editor.
func inEditor(ctx context.Context, text string, open func(*exec.Cmd) error) (_ string, err error) {
	file, err := os.CreateTemp("", "fermata-edit-*.json") // readable by its owner only
	if err != nil {
		return "", fmt.Errorf("create a file to edit: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write a file to edit: %w", err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	if err := open(editorCommand(ctx, editor(), file.Name())); err != nil {
		return "", fmt.Errorf("the editor (%s) failed: %w", editor(), err)
	}
	after, err := os.ReadFile(file.Name())
	if err != nil {
		return "", fmt.Errorf("read the edited file: %w", err)
	}
	return string(after), nil
}

// errNotEdited: the editor was closed without a change.
var errNotEdited = errors.New("nothing was edited")

// edit opens the editor until its result is valid. It decides nothing.
func (q *asking) edit(ctx context.Context, open func(*exec.Cmd) error) error {
	for {
		text, err := inEditor(ctx, q.editHeader()+q.editText(), open)
		if err != nil {
			return err
		}
		body := uncommented(text)
		switch {
		case strings.TrimSpace(body) == "":
			q.edits = edits{}
			return errNotEdited
		case len(q.edits.wrong) > 0 && body == q.edits.text:
			return fmt.Errorf("the editor was closed without a correction: %s", strings.Join(q.edits.wrong, "; "))
		}
		params, wrong := q.readEdits(body)
		q.edits = edits{params: params, text: body}
		if wrong != "" { // edit again, with the text as typed
			q.edits.wrong = []string{wrong}
			continue
		}
		if len(params) == 0 {
			q.edits = edits{}
			return errNotEdited
		}
		return nil
	}
}

// editHeader explains the file in comments, including the problems of the previous edit.
func (q *asking) editHeader() string {
	var b strings.Builder
	add := func(text string) {
		for line := range strings.SplitSeq(api.Visible(text), "\n") {
			b.WriteString(strings.TrimRight("// "+line, " ") + "\n")
		}
	}
	for _, wrong := range q.edits.wrong {
		add("! " + wrong)
	}
	actions := q.approval.Actions
	for i := range actions {
		number := ""
		if len(actions) > 1 {
			number = fmt.Sprintf("%q: ", fmt.Sprint(i+1))
		}
		add(number + actions[i].Text + " (" + actions[i].Command + ")")
	}
	add("Change the text below, save it, and close the editor: the differences are shown before you approve them.")
	add("An empty file changes nothing. Lines that begin with // are ignored.")
	return b.String()
}

// editText is the text to edit: as saved last, or as the AI requested it.
func (q *asking) editText() string {
	if q.edits.text != "" {
		return q.edits.text
	}
	actions := q.approval.Actions
	if len(actions) == 1 {
		return indentedJSON(actions[0].Params) + "\n"
	}
	var b bytes.Buffer
	for i := range actions {
		fmt.Fprintf(&b, "%s%q: %s", map[bool]string{true: "{", false: ","}[i == 0], fmt.Sprint(i+1), orEmptyObject(actions[i].Params))
	}
	b.WriteString("}")
	return indentedJSON(b.Bytes()) + "\n"
}

func orEmptyObject(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}

func indentedJSON(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, orEmptyObject(raw), "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// uncommented removes comments from a text.
func uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// readEdits parses the edited text; wrong explains why it is invalid.
func (q *asking) readEdits(text string) (params map[string]json.RawMessage, wrong string) {
	actions := q.approval.Actions
	byNumber := map[string]json.RawMessage{}
	if len(actions) == 1 {
		byNumber["1"] = json.RawMessage(text)
	} else if wrong := unread(text, &byNumber); wrong != "" {
		return nil, wrong
	}
	params = map[string]json.RawMessage{}
	for i := range actions {
		number := fmt.Sprint(i + 1)
		now, there := byNumber[number]
		if !there {
			return nil, fmt.Sprintf("%q is missing: to leave an action out, keep it here and approve the other numbers", number)
		}
		delete(byNumber, number)
		var object map[string]any
		if wrong := unread(string(now), &object); wrong != "" {
			return nil, wrong
		}
		if !sameJSON(now, actions[i].Params) {
			params[actions[i].ID] = now
		}
	}
	for number := range byNumber {
		return nil, fmt.Sprintf("there is no action %q", number)
	}
	return params, ""
}

// unread parses a JSON object, or explains why it is invalid.
func unread(text string, into any) string {
	decoder := json.NewDecoder(strings.NewReader(text))
	err := decoder.Decode(into)
	if err == nil {
		if _, err = decoder.Token(); errors.Is(err, io.EOF) && reflect.ValueOf(into).Elem().IsNil() {
			return "this is not a JSON object: null"
		} else if errors.Is(err, io.EOF) {
			return ""
		}
		return "there is text after the end of the object"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "this is not JSON: it is incomplete"
	}
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + strings.Count(text[:min(int(at.Offset), len(text))], "\n")
		return fmt.Sprintf("this is not JSON, in line %d below: %v", line, err)
	}
	return fmt.Sprintf("this is not a JSON object: %v", err)
}

func sameJSON(one, other []byte) bool {
	var a, b any
	for raw, into := range map[*[]byte]*any{&one: &a, &other: &b} {
		decoder := json.NewDecoder(bytes.NewReader(orEmptyObject(*raw)))
		decoder.UseNumber()
		if decoder.Decode(into) != nil {
			return false
		}
	}
	return reflect.DeepEqual(a, b)
}

// editLines show the differences from what the AI requested.
func (q *asking) editLines() []string {
	var lines []string
	for i, action := range q.approval.Actions {
		now, changed := q.edits.params[action.ID]
		if !changed {
			continue
		}
		number := ""
		if len(q.approval.Actions) > 1 {
			number = fmt.Sprintf("%d. ", i+1)
		}
		lines = append(lines, api.Visible(number+action.Text)+", as you edited it:")
		for _, change := range card.Changes(action.Params, now) {
			lines = append(lines, "   "+strings.ReplaceAll(api.Visible(change), "\n", "\n      "))
		}
	}
	return lines
}

// withEdits adds the edits of the approved actions to an answer.
func (q *asking) withEdits(answer map[string]any) map[string]any {
	if answer == nil || answer["approved"] != true || len(q.edits.params) == 0 {
		return answer
	}
	chosen, some := answer["approved_ids"].([]string)
	params := map[string]json.RawMessage{}
	for id, edited := range q.edits.params {
		if !some || slices.Contains(chosen, id) {
			params[id] = edited
		}
	}
	if len(params) > 0 {
		answer["edits"] = params
	}
	return answer
}

// refused stores the server's error about the edits, for display in the editor.
func (q *asking) refused(err error) {
	q.edits.wrong = []string{err.Error()}
	e, ok := errors.AsType[*remote.ServerError](err)
	if !ok || e.Errors == nil {
		return
	}
	q.edits.wrong = nil
	for _, field := range *e.Errors {
		at := field.Pointer
		for i, action := range q.approval.Actions {
			number := ""
			if len(q.approval.Actions) > 1 {
				number = fmt.Sprintf("/%d", i+1)
			}
			at = strings.Replace(at, "/edits/"+action.ID, number, 1)
		}
		q.edits.wrong = append(q.edits.wrong, at+": "+field.Message)
	}
}
