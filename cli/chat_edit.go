package cli

import (
	"context"
	"os"
	"strings"
)

// edit has the person change what is asked for: in their editor, or value by value where there is
// none, or no terminal to lend it. Nothing is decided by it.
func edit(ctx context.Context, t *talk, q *asking) {
	if editor() == "" || t.lend == nil {
		t.screen.dim("(value by value; in an editor with VISUAL or EDITOR set, and without --plain)")
		if q.askLines(); len(q.edits.asked) == 0 {
			t.screen.dim("(there is nothing to edit)")
		}
		return
	}
	if err := q.edit(ctx, t.lend); err != nil {
		t.screen.dim("(%v; nothing was decided)", err)
		return
	}
	t.screen.line("%s", strings.Join(q.editLines(), "\n"))
}

// cancelEdit is Ctrl-C while values are asked for: what was asked stands there again, as it was.
func cancelEdit(t *talk) bool {
	if t.prompted == nil || len(t.prompted.edits.asked) == 0 {
		return false
	}
	t.prompted.edits = edits{}
	t.screen.dim("(not edited; nothing was decided)")
	t.put(t.prompted.question())
	return true
}

// drain forgets the Ctrl-C that was for the editor.
func drain(signals <-chan os.Signal) {
	select {
	case <-signals:
	default:
	}
}
