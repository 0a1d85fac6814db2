package suite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

var roomy = domain.FileBudget{Bytes: 1 << 30, Count: 2000}

func file(workspace, id string, content []byte) *userdata.File {
	sum := sha256.Sum256(content)
	return &userdata.File{
		FileRef: domain.FileRef{
			ID: id, Name: "a \"b\".txt", MediaType: userdata.MediaText, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Width: 3, Height: 4,
		},
		WorkspaceID: workspace, CreatedBy: "key_1", CreatedAt: T0,
	}
}

// saying is a message of a session that refers to files, in a change of its own.
func (w *world) saying(s *domain.Session, files ...string) (*domain.Change, *domain.Message) {
	c := w.change(s)
	m := w.say(c, s, domain.SenderUser, "look")
	m.Rich = &domain.RichContent{Segments: []domain.Segment{{Type: domain.SegmentText, Text: "look"}}}
	for _, id := range files {
		m.Rich.Segments = append(m.Rich.Segments, domain.Segment{Type: domain.SegmentFile, File: &domain.FileRef{ID: id}})
	}
	return c, m
}

// files come back as they were; a content is stored once, and goes with the last that has it.
func files(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	content := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // in several pieces
	f := file(ws, "fil_1", content)
	w.ok(w.Files.InsertFile(ctx, f, content, roomy))
	got, err := w.Files.File(ctx, ws, "fil_1")
	w.ok(err)
	w.equal(got, f, "the file")
	const copies = 1000
	for i := 2; i <= copies; i++ { // the same again and again is one content, and room for one is enough
		once := domain.FileBudget{Bytes: f.Bytes, Count: 2000}
		same := *f
		same.ID = fmt.Sprintf("fil_%d", i)
		w.ok(w.Files.InsertFile(ctx, &same, content, once))
	}
	back, err := w.Files.FileContent(ctx, ws, "fil_7")
	w.ok(err)
	if !bytes.Equal(back, content) {
		w.Fatalf("of %d bytes %d came back", len(content), len(back))
	}
	empty := file(ws, "fil_empty", nil)
	w.ok(w.Files.InsertFile(ctx, empty, nil, roomy))
	back, err = w.Files.FileContent(ctx, ws, "fil_empty")
	w.ok(err)
	w.equal(len(back), 0, "an empty file")
	count, size, err := w.Files.FileFigures(ctx)
	w.ok(err)
	w.equal([]int64{count, size}, []int64{copies + 1, f.Bytes}, "how many there are, and their bytes")

	w.code(w.Files.InsertFile(ctx, file(ws, "fil_x", []byte("x")), []byte("x"), domain.FileBudget{Bytes: f.Bytes, Count: 2000}), userdata.CodeFilesFull)
	w.code(w.Files.InsertFile(ctx, file(ws, "fil_x", []byte("x")), []byte("x"), domain.FileBudget{Bytes: 1 << 30, Count: copies + 1}), userdata.CodeFilesFull)
	page, next, err := w.Files.Files(ctx, ws, "", 900)
	w.ok(err)
	rest, end, err := w.Files.Files(ctx, ws, next, 900)
	w.ok(err)
	w.equal([]any{len(page), len(rest), end}, []any{900, copies + 1 - 900, ""}, "the pages")
	_, err = w.Files.File(ctx, "other", "fil_1")
	w.code(err, domain.CodeNotFound)
	_, err = w.Files.FileContent(ctx, "other", "fil_1")
	w.code(err, domain.CodeNotFound)
	w.code(w.Files.DeleteFile(ctx, "other", "fil_1"), domain.CodeNotFound)
	w.ok(w.Files.DeleteFile(ctx, ws, "fil_1"))
	w.code(w.Files.DeleteFile(ctx, ws, "fil_1"), domain.CodeNotFound)
	back, err = w.Files.FileContent(ctx, ws, "fil_2")
	w.ok(err)
	w.equal(len(back), len(content), "what others have")
	for i := 2; i <= copies; i++ {
		w.ok(w.Files.DeleteFile(ctx, ws, fmt.Sprintf("fil_%d", i)))
	}
	w.ok(w.Files.InsertFile(ctx, file(ws, "fil_x", []byte("x")), []byte("x"), domain.FileBudget{Bytes: 1, Count: 2}))
}

// fileUses: a file that a message refers to stays as long as the message and is deleted a day later, or a day after
// it was uploaded if it was never used; a message cannot refer to a deleted file.
func fileUses(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	for _, id := range []string{"fil_said", "fil_waiting", "fil_edited", "fil_never"} {
		w.ok(w.Files.InsertFile(ctx, file(ws, id, []byte(id)), []byte(id), roomy))
	}
	s := w.stored("looks")
	c, _ := w.saying(s, "fil_said")
	w.ok(w.Commit(ctx, c))
	item := w.mail(s, "key-1")
	edited := *item.Message
	edited.Rich = &domain.RichContent{Segments: []domain.Segment{{Type: domain.SegmentFile, File: &domain.FileRef{ID: "fil_waiting"}},
		{Type: domain.SegmentFile, File: &domain.FileRef{ID: "fil_edited"}}}}
	for range 2 { // the second time it refers to what it refers to already
		c = w.change(s)
		c.EditedMessages = []*domain.Message{&edited}
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageUpdated, Message: &edited})
		w.ok(w.Commit(ctx, c))
	}
	c, _ = w.saying(s, "fil_said", "fil_unknown")
	before := s.Clone()
	w.code(w.Commit(ctx, c), domain.CodeInvalid)
	*s = *before

	c, again := w.saying(s, "fil_said", "fil_unknown") // a question once more, whose file was deleted since
	again.RetryOf = "rnd_before"
	w.ok(w.Commit(ctx, c))

	present := func(want ...string) {
		w.Helper()
		have, err := w.Files.FilesPresent(ctx, ws, []string{"fil_said", "fil_waiting", "fil_edited", "fil_never"})
		w.ok(err)
		all := map[string]bool{}
		for _, id := range want {
			all[id] = true
		}
		w.equal(have, all, "the files")
	}
	now := func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }
	w.pass(userdata.UnusedFileFor - time.Second)
	w.ok(w.Files.PruneFiles(ctx, now()))
	present("fil_said", "fil_waiting", "fil_edited", "fil_never")
	w.pass(2 * time.Second)
	w.ok(w.Files.PruneFiles(ctx, now()))
	present("fil_said", "fil_waiting", "fil_edited")

	gone := w.change(s)
	gone.Sessions[0].Delete = true
	gone.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionEnded, Session: s})
	w.ok(w.Commit(ctx, gone))
	present("fil_said", "fil_waiting", "fil_edited")
	for range 2 { // files in one look, the contents that they leave a day later at the latest
		w.pass(userdata.UnusedFileFor + time.Second)
		w.ok(w.Files.PruneFiles(ctx, now()))
	}
	present()
	w.ok(w.Files.InsertFile(ctx, file(ws, "fil_new", []byte("n")), []byte("n"), domain.FileBudget{Bytes: 1, Count: 1}))
}

// filesAtOnce: the same content is uploaded, deleted and collected at once, and each that is
// there has it.
func filesAtOnce(w *world) {
	ctx, ws, content := w.Context(), domain.DefaultWorkspace, []byte("the same")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 10 {
				id := fmt.Sprintf("fil_%d_%d", worker, i)
				err := w.Files.InsertFile(ctx, file(ws, id, content), content, roomy)
				for range 100 {
					if err == nil || domain.ErrorCode(err) != domain.ErrorCode(domain.ErrStale) {
						break
					}
					err = w.Files.InsertFile(ctx, file(ws, id, content), content, roomy)
				}
				if err != nil {
					w.Errorf("insert: %v", err)
					return
				}
				got, err := w.Files.FileContent(ctx, ws, id)
				if err != nil || !bytes.Equal(got, content) {
					w.Errorf("%s holds %q, %v", id, got, err)
				}
				if err := w.Files.DeleteFile(ctx, ws, id); err != nil {
					w.Errorf("delete: %v", err)
				}
				if err := w.Files.PruneFiles(ctx, T0.Add(time.Hour)); err != nil {
					w.Errorf("collect: %v", err)
				}
			}
		})
	}
	all.Wait()
}

// filesOfForks: what a message refers to that a fork begins with stays when the session is
// deleted that wrote it, until the fork goes.
func filesOfForks(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	for _, id := range []string{"fil_before", "fil_after"} {
		w.ok(w.Files.InsertFile(ctx, file(ws, id, []byte(id)), []byte(id), roomy))
	}
	s := w.stored("looks")
	c, m := w.saying(s, "fil_before")
	m.RoundID = "rnd_1"
	answer := w.say(c, s, domain.SenderAI, "seen")
	answer.RoundID = "rnd_1"
	w.ok(w.Commit(ctx, c))
	fork := w.forked(s, answer.ID)
	c, _ = w.saying(s, "fil_after")
	w.ok(w.Commit(ctx, c))
	present := func(want ...string) {
		w.Helper()
		for range 2 {
			w.pass(userdata.UnusedFileFor + time.Second)
			w.mu.Lock()
			now := w.now
			w.mu.Unlock()
			w.ok(w.Files.PruneFiles(ctx, now))
		}
		have, err := w.Files.FilesPresent(ctx, ws, []string{"fil_before", "fil_after"})
		w.ok(err)
		all := map[string]bool{}
		for _, id := range want {
			all[id] = true
		}
		w.equal(have, all, "the files")
	}
	present("fil_before", "fil_after")
	w.deleted(s)
	present("fil_before")
	w.deleted(fork)
	present()
}

// filesNeverUsed: as many files as a workspace may have, of which a message refers to one. The others
// go at the end of their day, in one look and in small transactions, and leave their room.
func filesNeverUsed(w *world) {
	ctx, ws := w.Context(), domain.DefaultWorkspace
	const many = 450 // more than two transactions collect; of 10,000 BenchmarkFilesNeverUsed has the figures
	budget := domain.FileBudget{Bytes: 1 << 30, Count: many}
	content := func(i int) []byte { return fmt.Appendf(nil, "file %d", i) }
	id := func(i int) string { return fmt.Sprintf("fil_%05d", i) }
	for i := range many {
		w.ok(w.Files.InsertFile(ctx, file(ws, id(i), content(i)), content(i), budget))
	}
	one := file(ws, "fil_more", []byte("more"))
	w.code(w.Files.InsertFile(ctx, one, []byte("more"), budget), userdata.CodeFilesFull)
	s := w.stored("looks")
	c, _ := w.saying(s, id(7))
	w.ok(w.Commit(ctx, c))

	w.pass(userdata.UnusedFileFor + time.Second)
	w.mu.Lock()
	now := w.now
	w.mu.Unlock()
	w.ok(w.Files.PruneFiles(ctx, now))
	count, size, err := w.Files.FileFigures(ctx)
	w.ok(err)
	w.equal([]int64{count, size}, []int64{1, int64(len(content(7)))}, "what is left, and its bytes")
	back, err := w.Files.FileContent(ctx, ws, id(7))
	w.ok(err)
	w.equal(string(back), string(content(7)), "what a message refers to")
	w.ok(w.Files.InsertFile(ctx, one, []byte("more"), budget))
}
