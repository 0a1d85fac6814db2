package console

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Bounds of what is kept: so many entries, of so many bytes each.
const (
	mostEntries = 1000
	mostOfEntry = 64 << 10
)

// History is what was typed before, in a file of its owner: a line of JSON for each entry.
// Two programs may add to the same file at once.
type History struct {
	path    string
	entries []string
}

// HistoryFile is where a program keeps its history: in the state directory of the XDG rules,
// or what comes next to it.
func HistoryFile(name string) (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if runtime.GOOS == "windows" && dir == "" {
		dir = os.Getenv("LOCALAPPDATA")
	}
	if !filepath.IsAbs(dir) { // as the rules say of one that is not
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home directory: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "fermata", name), nil
}

// OpenHistory reads a history. A file with far more than is kept is shortened.
func OpenHistory(path string) (*History, error) {
	h := &History{path: path}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the history: %w", err)
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8*mostOfEntry)
	read := 0
	for ; lines.Scan(); read++ {
		var entry string
		if json.Unmarshal(lines.Bytes(), &entry) == nil { // half a line of a crash is no entry
			h.remember(entry)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	if read > 2*mostEntries {
		return h, h.rewrite()
	}
	return h, nil
}

// remember has an entry at hand while the program runs.
func (h *History) remember(text string) {
	if len(text) > mostOfEntry || strings.TrimSpace(text) == "" {
		return
	}
	if n := len(h.entries); n > 0 && h.entries[n-1] == text {
		return
	}
	h.entries = append(h.entries, text)
	if len(h.entries) > mostEntries {
		h.entries = slices.Delete(h.entries, 0, len(h.entries)-mostEntries)
	}
}

// add keeps an entry. One that begins with a space is not kept, as in shells; neither is one
// that was just added.
func (h *History) add(text string) error {
	n := len(h.entries)
	again := n > 0 && h.entries[n-1] == text
	h.remember(text)
	if again || len(text) > mostOfEntry || strings.HasPrefix(text, " ") {
		return nil
	}
	line, err := json.Marshal(text)
	if err != nil {
		return fmt.Errorf("write an entry of the history: %w", err)
	}
	f, err := os.OpenFile(h.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the history: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// rewrite leaves in the file what is kept.
func (h *History) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.path), ".history-*") // its owner's alone
	if err != nil {
		return fmt.Errorf("shorten the history: %w", err)
	}
	out := bufio.NewWriter(f)
	encoder := json.NewEncoder(out)
	for _, entry := range h.entries {
		err = errors.Join(err, encoder.Encode(entry))
	}
	if err = errors.Join(err, out.Flush(), f.Close()); err == nil {
		err = os.Rename(f.Name(), h.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("shorten the history: %w", err)
	}
	return nil
}

// walk is where a person stands in the history.
type walk struct {
	history *History
	back    int    // how many entries back; 0: at what is being typed
	typed   string // what was being typed before the first step
}

func (w *walk) rest() { w.back, w.typed = 0, "" }

// older is the next entry back that begins with what was typed.
func (w *walk) older(now string) (string, bool) {
	if w.history == nil {
		return "", false
	}
	if w.back == 0 {
		w.typed = now
	}
	for back := w.back + 1; back <= len(w.history.entries); back++ {
		if entry := w.history.entries[len(w.history.entries)-back]; strings.HasPrefix(entry, w.typed) {
			w.back = back
			return entry, true
		}
	}
	return "", false
}

// newer is the way back, which ends at what was being typed.
func (w *walk) newer() (string, bool) {
	for w.back > 0 {
		w.back--
		if w.back == 0 {
			return w.typed, true
		}
		if entry := w.history.entries[len(w.history.entries)-w.back]; strings.HasPrefix(entry, w.typed) {
			return entry, true
		}
	}
	return "", false
}

// remember has a text at hand, and does not keep it.
func (w *walk) remember(text string) {
	if w.history != nil {
		w.history.remember(text)
	}
	w.rest()
}

// add keeps a text. A history that cannot be written is no reason to stop talking.
func (w *walk) add(text string) {
	if w.history != nil {
		_ = w.history.add(text)
	}
	w.rest()
}
