package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// Notes about files whose content is not in a prompt.
const (
	notLookedAt = "Its content does not stand here."
	shownHere   = "It is the picture that stands next."
)

var notThere = map[domain.FileWhy]string{
	domain.FileDeleted: "It was deleted: its content is gone.",
	domain.FileShownBefore: "It was shown to you in an earlier round, and is not shown again. " +
		"If you must see it again, ask for it to be sent again.",
	domain.FileUnseen:       "You cannot see pictures, so it is not shown to you. Say so if it matters.",
	domain.FileTooMuchShown: "It is not shown: the pictures of this message are too large together. Say so if it matters.",
}

// maxPictures bounds the pictures of one prompt together, in bytes: vendors accept requests of 20
// MB, and base64 adds a third.
const maxPictures = 12 << 20

// Files inserts the content of files into turns.
type Files struct {
	Mark Marker
	// Round is the current round. Its pictures are shown if the model Sees.
	Round string
	Sees  bool
	// TextTokens bounds the texts of one message.
	TextTokens int
	// Present are the files that have not been deleted.
	Present map[string]bool
	Content func(id string) ([]byte, error)
}

// filesOf returns the files referenced by turns, without duplicates.
func filesOf(turns []*ai.Turn) (ids []string) {
	seen := map[string]bool{}
	for _, turn := range turns {
		for i := range turn.Blocks {
			if f := turn.Blocks[i].File; f != nil && !seen[f.ID] {
				seen[f.ID] = true
				ids = append(ids, f.ID)
			}
		}
	}
	return ids
}

// Fill returns the turns with the content of their files: texts as blocks of external content,
// truncated to their share, and the pictures of the current round. The size is adjusted. The given
// turns are not modified; a filled turn without pictures is cached.
func (f *Files) Fill(turns []*ai.Turn, size int) ([]*ai.Turn, int, error) {
	present := f.presentFrom(turns)
	filled := make([]*ai.Turn, len(turns))
	shown := 0
	for i, turn := range turns {
		if filled[i] = turn; !hasFiles(turn) {
			continue
		}
		own, err := f.turn(turn, i >= present, &shown)
		if err != nil {
			return nil, 0, err
		}
		filled[i] = own
		size += estimateBlocks(own.Blocks) - estimateBlocks(turn.Blocks)
	}
	return filled, size, nil
}

// presentFrom returns where the current round begins: after the last answer of another round.
func (f *Files) presentFrom(turns []*ai.Turn) int {
	for i, turn := range slices.Backward(turns) {
		if turn.Role == ai.TurnAssistant && turn.Round != f.Round {
			return i + 1
		}
	}
	return 0
}

func hasFiles(turn *ai.Turn) bool {
	for i := range turn.Blocks {
		if turn.Blocks[i].Kind == ai.BlockFile {
			return true
		}
	}
	return false
}

func (f *Files) turn(turn *ai.Turn, present bool, shown *int) (*ai.Turn, error) {
	of, pictures := f.state(turn, present)
	if !pictures {
		if kept := turn.Filled.Load(); kept != nil && kept.Of == of {
			return kept.Turn, nil
		}
	}
	own := &ai.Turn{Role: turn.Role, Round: turn.Round, Blocks: make([]ai.Block, len(turn.Blocks))}
	room := f.rooms(turn)
	for i := range turn.Blocks {
		b := turn.Blocks[i]
		if b.Kind == ai.BlockFile {
			var err error
			if b, err = f.block(b.File, present, room[i], shown); err != nil {
				return nil, err
			}
		}
		own.Blocks[i] = b
	}
	if !pictures { // pictures are too large to be cached for every session
		turn.Filled.Store(&ai.FilledTurn{Of: of, Turn: own})
	}
	return own, nil
}

// state returns what a filled turn depends on, and whether it shows pictures.
func (f *Files) state(turn *ai.Turn, present bool) (of string, pictures bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %t %t", f.TextTokens, present, f.Sees)
	for i := range turn.Blocks {
		if file := turn.Blocks[i].File; file != nil {
			there := f.Present[file.ID]
			fmt.Fprintf(&b, " %t", there)
			pictures = pictures || there && present && f.Sees && file.IsPicture()
		}
	}
	return b.String(), pictures
}

// rooms distributes a turn's limit among its texts, in bytes by block: the unused part of short
// texts goes to the others.
func (f *Files) rooms(turn *ai.Turn) map[int]int {
	rooms, left := map[int]int{}, f.TextTokens*7/2
	var open []int
	for i := range turn.Blocks {
		if b := &turn.Blocks[i]; b.Kind == ai.BlockFile && !b.File.IsPicture() && f.Present[b.File.ID] {
			open = append(open, i)
		}
	}
	for len(open) > 0 {
		share := left / len(open)
		var long []int
		for _, i := range open {
			if n := int(turn.Blocks[i].File.Bytes); n <= share {
				rooms[i], left = n, left-n
			} else {
				long = append(long, i)
			}
		}
		if len(long) == len(open) {
			for _, i := range open {
				rooms[i] = share
			}
			break
		}
		open = long
	}
	return rooms
}

func (f *Files) block(file *domain.FileRef, present bool, room int, shown *int) (ai.Block, error) {
	var why domain.FileWhy
	switch {
	case !f.Present[file.ID]:
		why = domain.FileDeleted
	case file.IsPicture() && !f.Sees:
		why = domain.FileUnseen
	case file.IsPicture() && !present:
		why = domain.FileShownBefore
	case file.IsPicture() && *shown+int(file.Bytes) > maxPictures:
		why = domain.FileTooMuchShown
	}
	if why != "" {
		return f.named(file, why), nil
	}
	content, err := f.Content(file.ID)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound: // deleted meanwhile
		return f.named(file, domain.FileDeleted), nil
	case err != nil:
		return ai.Block{}, fmt.Errorf("read file %s: %w", file.ID, err)
	case file.IsPicture():
		*shown += len(content)
		return ai.Block{Kind: ai.BlockPicture, Text: f.Mark.fileNote(file, shownHere), File: file, Data: content}, nil
	}
	text, why := f.Mark.fileText(file, string(content), room)
	return ai.Block{Kind: ai.BlockText, Text: text, File: file, Why: why}, nil
}

// named returns the placeholder of a missing file.
func (f *Files) named(file *domain.FileRef, why domain.FileWhy) ai.Block {
	return ai.Block{Kind: ai.BlockText, Text: f.Mark.fileNote(file, notThere[why]), File: file, Why: why}
}

// FilesIn reports which files of a prompt its model receives, those of the newest turn first.
func FilesIn(turns []*ai.Turn) ai.PromptFiles {
	var in ai.PromptFiles
	for _, turn := range slices.Backward(turns) {
		for i := range turn.Blocks {
			b := &turn.Blocks[i]
			if b.File == nil {
				continue
			}
			as := domain.FileAsText
			switch {
			case b.Kind == ai.BlockPicture:
				as = domain.FileAsPicture
			case notThere[b.Why] != "":
				as = domain.FileAsReference
			}
			in.Add(domain.PromptFile{ID: b.File.ID, Name: b.File.Name, As: as, Why: b.Why, Tokens: estimateBlock(b)})
		}
	}
	return in
}

// fileNote returns the placeholder of a file whose content is not included.
func (m Marker) fileNote(file *domain.FileRef, what string) string {
	return m.block(*domain.From(domain.OriginFile, file.Name), describe(file)+" "+what)
}

// fileText returns the text of a file, truncated to its share.
func (m Marker) fileText(file *domain.FileRef, text string, room int) (block string, why domain.FileWhy) {
	text = cleanText(text)
	if len(text) > room {
		why = domain.FileCut
		kept := strings.TrimSuffix(shorten.Bytes(text, room), "…")
		text = kept + fmt.Sprintf("\n[… %d more bytes of this file are left out here, because there is no room for them]", len(text)-len(kept))
	}
	return m.block(*domain.From(domain.OriginFile, file.Name), describe(file)+"\n\n"+text), why
}

func describe(file *domain.FileRef) string {
	if file.IsPicture() {
		return fmt.Sprintf("[File %s, a picture of %d × %d pixels (%s).]", file.ID, file.Width, file.Height, file.MediaType)
	}
	return fmt.Sprintf("[File %s, a text of %d bytes.]", file.ID, file.Bytes)
}
