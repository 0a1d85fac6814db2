package prompt

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/domain/userdata"
)

func sentFile(id, media string, size int64) ai.Block {
	return ai.Block{Kind: ai.BlockFile, File: &domain.FileRef{ID: id, Name: id[4:], MediaType: media, Bytes: size, Width: 300, Height: 200}}
}

// TestFilesInAPrompt: what a model is given of each file, and what the record says of it, are one
// thing: a picture in its round, its name afterwards; a text in every prompt, cut to its room;
// a name alone of what was deleted, cannot be seen, or is too large.
func TestFilesInAPrompt(t *testing.T) {
	asked := func(round string, blocks ...ai.Block) *ai.Turn {
		return &ai.Turn{Role: ai.TurnUser, Round: round, Blocks: append([]ai.Block{{Kind: ai.BlockText, Text: "Look."}}, blocks...)}
	}
	answered := &ai.Turn{Role: ai.TurnAssistant, Round: "rnd_1", Blocks: []ai.Block{{Kind: ai.BlockAnswer, Answer: &domain.RawAnswer{Text: "Seen."}}}}
	old := func() *ai.Turn {
		return asked("rnd_1", sentFile("fil_old.png", userdata.MediaPNG, 9), sentFile("fil_old.txt", userdata.MediaText, 11))
	}
	now := func(blocks ...ai.Block) *ai.Turn { return asked("rnd_2", blocks...) }
	all := map[string]bool{"fil_old.png": true, "fil_old.txt": true, "fil_new.png": true, "fil_long.txt": true, "fil_huge.png": true}
	type in struct {
		as  domain.FileAs
		why domain.FileWhy
	}
	for name, c := range map[string]struct {
		turns []*ai.Turn
		blind bool
		want  map[string]in
		order string
	}{
		"the first round": {[]*ai.Turn{old()}, false, map[string]in{"fil_old.png": {domain.FileAsPicture, ""}, "fil_old.txt": {domain.FileAsText, ""}}, "fil_old.png fil_old.txt"},
		"a later one": {[]*ai.Turn{old(), answered, now(sentFile("fil_new.png", userdata.MediaPNG, 9))}, false, map[string]in{
			"fil_new.png": {domain.FileAsPicture, ""}, "fil_old.png": {domain.FileAsReference, domain.FileShownBefore}, "fil_old.txt": {domain.FileAsText, ""},
		}, "fil_new.png fil_old.png fil_old.txt"},
		"the same again": {[]*ai.Turn{old(), answered, now(sentFile("fil_old.png", userdata.MediaPNG, 9))}, false, map[string]in{
			"fil_old.png": {domain.FileAsPicture, ""}, "fil_old.txt": {domain.FileAsText, ""},
		}, "fil_old.png fil_old.txt"},
		"who cannot see": {[]*ai.Turn{old()}, true, map[string]in{"fil_old.png": {domain.FileAsReference, domain.FileUnseen}, "fil_old.txt": {domain.FileAsText, ""}}, "fil_old.png fil_old.txt"},
		"deleted": {[]*ai.Turn{now(sentFile("fil_gone.png", userdata.MediaPNG, 9), sentFile("fil_gone.txt", userdata.MediaText, 9))}, false, map[string]in{
			"fil_gone.png": {domain.FileAsReference, domain.FileDeleted}, "fil_gone.txt": {domain.FileAsReference, domain.FileDeleted},
		}, "fil_gone.png fil_gone.txt"},
		"too long":          {[]*ai.Turn{now(sentFile("fil_long.txt", userdata.MediaText, 9000))}, false, map[string]in{"fil_long.txt": {domain.FileAsText, domain.FileCut}}, "fil_long.txt"},
		"too large":         {[]*ai.Turn{now(sentFile("fil_huge.png", userdata.MediaPNG, maxPictures+1))}, false, map[string]in{"fil_huge.png": {domain.FileAsReference, domain.FileTooMuchShown}}, "fil_huge.png"},
		"no files at all":   {[]*ai.Turn{now()}, false, map[string]in{}, ""},
		"what is left over": {[]*ai.Turn{answered}, false, map[string]in{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &Files{Round: c.turns[len(c.turns)-1].Round, Sees: !c.blind, TextTokens: 1000, Present: all, Content: func(id string) ([]byte, error) {
				return []byte(strings.Repeat("w", map[string]int{"fil_long.txt": 9000}[id]+9)), nil
			}}
			filled, size, err := f.Fill(c.turns, EstimateTurns(c.turns))
			if err != nil {
				t.Fatal(err)
			}
			if want := EstimateTurns(filled); size != want {
				t.Errorf("the size is %d, and was adjusted to %d", want, size)
			}
			shown := FilesIn(filled)
			got, order := map[string]in{}, make([]string, 0, len(shown.Files))
			for _, x := range shown.Files {
				got[x.ID] = in{x.As, x.Why}
				order = append(order, x.ID)
				if x.Name != x.ID[4:] || x.Tokens <= blockOverhead || x.As == domain.FileAsPicture && x.Tokens <= 85 {
					t.Errorf("it says %+v", x)
				}
			}
			if !reflect.DeepEqual(got, c.want) || strings.Join(order, " ") != c.order {
				t.Errorf("it says %v in the order %v, want %v", got, order, c.want)
			}
		})
	}
}

// A text that is cut to a note because the whole prompt is too long was read in part.
func TestATextThatIsCutWithItsPrompt(t *testing.T) {
	f := &Files{Sees: true, TextTokens: 10_000, Present: map[string]bool{"fil_a.txt": true}, Content: func(string) ([]byte, error) {
		return []byte(strings.Repeat("word ", 1000)), nil
	}}
	turns, size, err := f.Fill([]*ai.Turn{
		{Role: ai.TurnUser, Blocks: []ai.Block{sentFile("fil_a.txt", userdata.MediaText, 5000)}},
		{Role: ai.TurnAssistant, Blocks: []ai.Block{{Kind: ai.BlockAnswer, Answer: &domain.RawAnswer{Text: "Read."}}}},
		{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "And now?"}}},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := FilesIn(turns).Files[0]
	fitted, _ := Fit(turns, size, size/2)
	after := FilesIn(fitted).Files
	if before.Why != "" || len(after) != 1 || after[0].Why != domain.FileCut || after[0].As != domain.FileAsText || after[0].Tokens >= before.Tokens/2 {
		t.Errorf("before %+v, afterwards %+v", before, after)
	}
	if again := FilesIn(turns).Files[0]; again != before {
		t.Errorf("the turns that were given say %+v", again)
	}
}

// What is noted of the prompt that an answer came from is not sent back with it.
func TestNotesOfAPromptChangeNoPrompt(t *testing.T) {
	print := func(files ...domain.PromptFile) string {
		return Fingerprint(&ai.Prompt{Turns: []*ai.Turn{{Role: ai.TurnAssistant, Blocks: []ai.Block{
			{Kind: ai.BlockAnswer, Answer: &domain.RawAnswer{Text: "Seen.", PromptFiles: files, OlderPromptFiles: len(files)}},
		}}}})
	}
	if print() != print(domain.PromptFile{ID: "fil_1", As: domain.FileAsPicture, Tokens: 85}) {
		t.Error("the same prompt has two fingerprints")
	}
}
