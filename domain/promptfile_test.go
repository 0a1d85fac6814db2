package domain

import (
	"fmt"
	"reflect"
	"testing"
)

// A file that stands in a prompt several times is named once, as what most of it stands there,
// and costs what all of them cost.
func TestAFileIsNamedOnce(t *testing.T) {
	var in PromptFiles
	in.Add(PromptFile{ID: "fil_1", Name: "a.png", As: FileAsReference, Why: FileShownBefore, Tokens: 40})
	in.Add(PromptFile{ID: "fil_2", Name: "b.txt", As: FileAsText, Tokens: 7})
	in.Add(PromptFile{ID: "fil_1", Name: "a.png", As: FileAsPicture, Tokens: 500})
	in.Add(PromptFile{ID: "fil_2", Name: "b.txt", As: FileAsText, Why: FileCut, Tokens: 3})
	in.Add(PromptFile{ID: "fil_1", Name: "a.png", As: FileAsReference, Why: FileShownBefore, Tokens: 40})
	want := []PromptFile{{ID: "fil_1", Name: "a.png", As: FileAsPicture, Tokens: 580}, {ID: "fil_2", Name: "b.txt", As: FileAsText, Tokens: 10}}
	if !reflect.DeepEqual(in.Files, want) || in.Older != 0 {
		t.Errorf("it says %+v and %d more, want %+v", in.Files, in.Older, want)
	}
}

// What is noted of one prompt is bounded, however many files a session has; what is beyond is
// counted, each once.
func TestFilesOfAPromptAreBounded(t *testing.T) {
	var in PromptFiles
	for range 2 {
		for i := range MaxPromptFiles + 30 {
			in.Add(PromptFile{ID: fmt.Sprint("fil_", i), As: FileAsText, Tokens: 1})
		}
	}
	if len(in.Files) != MaxPromptFiles || in.Older != 30 || in.Files[0].Tokens != 2 {
		t.Errorf("%d are named and %d counted, the first with %d tokens", len(in.Files), in.Older, in.Files[0].Tokens)
	}
}
