package ai

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// A file that stands in a prompt several times is named once, as what most of it stands there,
// and costs what all of them cost.
func TestAFileIsNamedOnce(t *testing.T) {
	var in PromptFiles
	in.Add(domain.PromptFile{ID: "fil_1", Name: "a.png", As: domain.FileAsReference, Why: domain.FileShownBefore, Tokens: 40})
	in.Add(domain.PromptFile{ID: "fil_2", Name: "b.txt", As: domain.FileAsText, Tokens: 7})
	in.Add(domain.PromptFile{ID: "fil_1", Name: "a.png", As: domain.FileAsPicture, Tokens: 500})
	in.Add(domain.PromptFile{ID: "fil_2", Name: "b.txt", As: domain.FileAsText, Why: domain.FileCut, Tokens: 3})
	in.Add(domain.PromptFile{ID: "fil_1", Name: "a.png", As: domain.FileAsReference, Why: domain.FileShownBefore, Tokens: 40})
	want := []domain.PromptFile{{ID: "fil_1", Name: "a.png", As: domain.FileAsPicture, Tokens: 580}, {ID: "fil_2", Name: "b.txt", As: domain.FileAsText, Tokens: 10}}
	if !reflect.DeepEqual(in.Files, want) || in.Older != 0 {
		t.Errorf("it says %+v and %d more, want %+v", in.Files, in.Older, want)
	}
}

// What is noted of one prompt is bounded, however many files a session has; what is beyond is
// counted, each once.
func TestFilesOfAPromptAreBounded(t *testing.T) {
	var in PromptFiles
	for range 2 {
		for i := range maxPromptFiles + 30 {
			in.Add(domain.PromptFile{ID: fmt.Sprint("fil_", i), As: domain.FileAsText, Tokens: 1})
		}
	}
	if len(in.Files) != maxPromptFiles || in.Older != 30 || in.Files[0].Tokens != 2 {
		t.Errorf("%d are named and %d counted, the first with %d tokens", len(in.Files), in.Older, in.Files[0].Tokens)
	}
}
