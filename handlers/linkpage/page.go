package linkpage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
)

var (
	//go:embed page.html
	page string
	//go:embed page.css
	style string
	//go:embed page.js
	script string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style) }, //nolint:gosec // a constant without external content
		"script": func() template.JS { return template.JS(script) },  //nolint:gosec // as above
	}).Parse(page))
)

// Policy is the page's Content-Security-Policy: its own style and script, by their sums, a form
// to here, and nothing else.
var Policy = "default-src 'none'; style-src '" + sumOf(style) + "'; script-src '" + sumOf(script) +
	"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Page is what is shown. Its texts are for people, in Language.
type Page struct {
	Language string
	Title    string
	Notice   string // above all else
	Text     string
	Actions  []Action
	Steps    []string
	Reasons  []string
	Until    string
	Settled  string
	Comment  string
	Form     *Form
	Again    string // an address where the form is
	To       string
	Words    Words
}

// Action is one change on the card.
type Action struct {
	Text     string
	Changes  []Change
	Warnings []string
}

// Change is a value as it was and as it would be.
type Change struct {
	Name, Before, After string
	Had, Has            bool
}

// Form is how it is answered.
type Form struct {
	Action   string // where it goes
	At       string
	Key      string // the nonce, turned round
	Figures  string
	Options  []Option
	Multiple bool
	Other    bool // beside the options
	Value    bool // a text
	Comment  bool
	// Placeholder is that of the empty text field.
	Placeholder string
	Buttons     []Button
}

// Option is one that can be chosen, as it is sent and as it is read.
type Option struct{ Value, Label string }

// Button is one answer.
type Button struct{ Value, Label, Class string }

// Words are the page's own.
type Words struct{ Because, Choose, Other, Answer, Comment, Figures, Again string }

// Render makes the document.
func Render(p *Page) ([]byte, error) {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("make the page of a link: %w", err)
	}
	return b.Bytes(), nil
}

// Ask puts the form into the page: where an answer goes, and what makes it one.
func (p *Page) Ask(f *Form, action, at, nonce, figures string) {
	f.Action, f.At, f.Key, f.Figures = action, at, turned(nonce), figures
	p.Form = f
}

// turned reverses a text: the document does not contain the nonce as it is submitted.
func turned(text string) string {
	b := []byte(text)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
