package chat

import (
	"context"
	"os"
	"strings"
)

// edit lets the person change the actions: in their editor, or value by value if there is none, or no
// terminal for it. It decides nothing.
func edit(ctx context.Context, t *chatLoop, q *asking) {
	if editor() == "" || t.lend == nil {
		t.screen.Dim("(value by value; set VISUAL or EDITOR to use an editor, and omit --plain)")
		if q.askLines(); len(q.edits.asked) == 0 {
			t.screen.Dim("(there is nothing to edit)")
		}
		return
	}
	if err := q.edit(ctx, t.lend); err != nil {
		t.screen.Dim("(%v; nothing was decided)", err)
		return
	}
	t.screen.Line("%s", strings.Join(q.editLines(), "\n"))
}

// cancelEdit handles Ctrl-C while values are asked for: the original question is displayed again.
func cancelEdit(t *chatLoop) bool {
	if t.prompted == nil || len(t.prompted.edits.asked) == 0 {
		return false
	}
	t.prompted.edits = edits{}
	t.screen.Dim("(not edited; nothing was decided)")
	t.put(t.prompted.question())
	return true
}

// drain discards the Ctrl-C that was meant for the editor.
func drain(signals <-chan os.Signal) {
	select {
	case <-signals:
	default:
	}
}
