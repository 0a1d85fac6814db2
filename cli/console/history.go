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

// Bounds of the history: the number of entries, and the bytes of each.
const (
	mostEntries = 1000
	mostOfEntry = 64 << 10
)

// History is the input history, in a file of its owner: one line of JSON per entry. Several programs may
// append to it concurrently.
type History struct {
	path    string
	entries []string
}

// HistoryFile is the path of a program's history: in the XDG state directory, or its equivalent.
func HistoryFile(name string) (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if runtime.GOOS == "windows" && dir == "" {
		dir = os.Getenv("LOCALAPPDATA")
	}
	if !filepath.IsAbs(dir) { // relative paths are ignored, as XDG requires
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home directory: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "fermata", name), nil
}

// OpenHistory reads a history. A file with many more entries than the bound is shortened.
func OpenHistory(path string) (*History, error) {
	h := &History{path: path}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the directory of the history: %w", err)
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
		if json.Unmarshal(lines.Bytes(), &entry) == nil { // ignores a line that a crash left incomplete
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

// remember adds an entry in memory.
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

// add stores an entry, unless it begins with a space, as in shells, or repeats the last one.
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

// rewrite shortens the file.
func (h *History) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.path), ".history-*") // readable by its owner only
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

// walk is a position in the history.
type walk struct {
	history *History
	back    int    // number of entries back; 0: at the current input
	typed   string // the input before the first step
}

func (w *walk) rest() { w.back, w.typed = 0, "" }

// older is the next older entry that begins with the input.
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

// newer is the next newer entry, and finally the original input.
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

// remember adds a text in memory only.
func (w *walk) remember(text string) {
	if w.history != nil {
		w.history.remember(text)
	}
	w.rest()
}

// add stores a text. Errors are ignored: a chat works without a history.
func (w *walk) add(text string) {
	if w.history != nil {
		_ = w.history.add(text)
	}
	w.rest()
}
