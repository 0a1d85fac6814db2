package sqldb

import "sync"

// texts caches statements that are built from parts: commits need the same few again and again.
type texts struct {
	mu sync.RWMutex
	by map[textKey]string
}

// textKey is the shape of such a statement: of one INSERT, or of several in order.
type textKey struct {
	tail    string
	parts   [maxParts]part
	updates [maxUpdates]*Update
}

type part struct {
	table, tail string
	rows        int
}

const (
	// maxParts limits the INSERTs of one statement.
	maxParts = 5
	// maxTexts limits the cache; further texts are built each time.
	maxTexts = 1000
)

func (t *texts) insert(table, columns string, n int, tail string) string {
	return t.of(textKey{tail: tail, parts: [maxParts]part{{table: table, rows: n}}}, func() string {
		return insertSQL(table, columns, n, tail)
	})
}

func (t *texts) joint(all []Rows) string {
	var key textKey
	for i := range all {
		key.parts[i] = part{table: all[i].table, rows: all[i].count()}
	}
	return t.of(key, func() string { return jointSQL(all) })
}

func (t *texts) of(key textKey, make func() string) string {
	t.mu.RLock()
	text, ok := t.by[key]
	t.mu.RUnlock()
	if ok {
		return text
	}
	text = make()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.by) < maxTexts {
		t.by[key] = text
	}
	return text
}
