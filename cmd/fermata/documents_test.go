package main

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/cli"
)

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	inlineCode = regexp.MustCompile("`(fermata [a-z][^`\n]*)`")
	variable   = regexp.MustCompile(`\bFERMATA_[A-Z0-9_]*[A-Z0-9]\b`)
)

// documents are the files that people follow.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../../README.md", "../../SECURITY.md", "../../docs/*.md", "../../deploy/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[path] = string(text)
		}
	}
	return all
}

// TestTheDocumentsTypeWhatThereIs: every command in a code block of a document exists, with its flags and
// arguments; a command within a sentence at least exists.
func TestTheDocumentsTypeWhatThereIs(t *testing.T) {
	typed := 0
	for path, text := range documents(t) {
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				for _, args := range ourCommands(line) {
					typed++
					if err := understood(args); err != nil {
						t.Errorf("%s: fermata %s: %v", path, strings.Join(args, " "), err)
					}
				}
			}
		}
		for _, code := range inlineCode.FindAllStringSubmatch(text, -1) {
			typed++
			args := ourCommands(code[1])[0]
			// A sentence may omit arguments.
			if err := understood(args); err != nil && strings.Contains(err.Error(), "unexpected argument "+args[0]) {
				t.Errorf("%s: fermata %s: %v", path, args[0], err)
			}
		}
	}
	if typed < 60 {
		t.Errorf("only %d commands were found", typed)
	}
}

// understood returns the error of parsing the arguments.
func understood(args []string) error {
	parser, err := kong.New(&commandLine{}, kong.Name("fermata"), kong.Configuration(cli.ReadConfigFile), kong.Exit(func(int) {}))
	if err != nil {
		return err
	}
	if args[0] == "help" { // handled by cli.Run: the same as --help
		args = append(args[1:len(args):len(args)], "--help")
	}
	parser.Stdout, parser.Stderr = io.Discard, io.Discard
	_, err = parser.Parse(args)
	return err
}

// ourCommands finds the arguments of fermata in a shell line.
func ourCommands(line string) (all [][]string) {
	var words []string
	end := func() {
		at := slices.IndexFunc(words, func(w string) bool { return w == "fermata" || w == "bin/fermata" || w == "./fermata" })
		before := words[:max(at, 0)]
		if at >= 0 && !slices.ContainsFunc(before, func(w string) bool { return !strings.Contains(w, "=") && w != "sudo" }) && len(words) > at+1 {
			all = append(all, words[at+1:])
		}
		words = nil
	}
	var word strings.Builder
	quote, begun := rune(0), false
	flush := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			flush()
		case quote == 0 && strings.ContainsRune("|;&<>()", r):
			flush()
			end()
		case quote == 0 && r == '#' && !begun:
			end()
			return all
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	flush()
	end()
	return all
}

// variables are the variables of the server and the command line.
func variables(of reflect.Type) (names []string) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return nil
	}
	for field := range of.Fields() {
		names = append(names, strings.Split(field.Tag.Get("env"), ",")...)
		names = append(names, variables(field.Type)...)
	}
	return names
}

// ofTests are variables of this repository's own tests and tools.
var ofTests = []string{
	"FERMATA_LONG", "FERMATA_TEST_", "FERMATA_BENCH_", "FERMATA_SECOND_OPINION", "FERMATA_PROVIDER_KEY_", "FERMATA_MAKE_GOLDEN",
}

// TestTheDocumentsNameVariablesThatThereAre: a mistyped or renamed variable would have no effect, without notice.
func TestTheDocumentsNameVariablesThatThereAre(t *testing.T) {
	known := append(variables(reflect.TypeFor[commandLine]()), variables(reflect.TypeFor[app.Config]())...)
	found := 0
	for path, text := range documents(t) {
		for _, name := range variable.FindAllString(text, -1) {
			found++
			begins := func(of string) bool { return strings.HasPrefix(of, name+"_") } // FERMATA_RATE_…
			if !slices.Contains(known, name) && !slices.ContainsFunc(known, begins) && !slices.ContainsFunc(ofTests, func(of string) bool { return strings.HasPrefix(name+"_", of) }) {
				t.Errorf("%s names %s, which does not exist", path, name)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names were found", found)
	}
}
