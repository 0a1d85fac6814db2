package console

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The terminal's own colours are used, which are readable on its background.
const (
	headingLook = "1;36"
	codeLook    = "35"
	linkLook    = "4"
	ruleLength  = 40
)

var parser = goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()

// rendered renders Markdown as lines of the given width. Control characters and tags are shown as text,
// and a link as its text followed by its address.
func rendered(markdown string, width int) []string {
	source := []byte(markdown)
	p := &page{source}
	return p.blocks(parser.Parse(text.NewReader(source)), width, false)
}

type page struct{ source []byte }

// blocks are the blocks below a node; tight ones are not separated by empty lines.
func (p *page) blocks(parent ast.Node, width int, tight bool) []string {
	var all []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := p.block(n, max(width, 10))
		if len(all) > 0 && len(lines) > 0 && !tight {
			all = append(all, "")
		}
		all = append(all, lines...)
	}
	return all
}

func (p *page) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return wrapped(p.inline(n, headingLook), width)
	case *ast.Paragraph, *ast.TextBlock:
		return wrapped(p.inline(n, ""), width)
	case *ast.Blockquote:
		return indented(p.blocks(n, width-2, false), "│ ", "│ ")
	case *ast.List:
		return p.list(n, width)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return indented(p.verbatim(n.Lines(), width-2), "  ", "  ")
	case *ast.HTMLBlock:
		lines := p.verbatim(n.Lines(), width)
		if n.HasClosure() {
			lines = append(lines, clean(strings.TrimRight(string(n.ClosureLine.Value(p.source)), "\n")))
		}
		return lines
	case *ast.ThematicBreak:
		return []string{strings.Repeat("─", min(width, ruleLength))}
	case *extended.Table:
		return p.table(n, width)
	}
	return p.blocks(n, width, false)
}

func (p *page) list(list *ast.List, width int) []string {
	var all []string
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + string(list.Marker) + " "
			number++
		} else if hasBox(item) {
			mark = "" // the checkbox replaces it
		}
		if len(all) > 0 && !list.IsTight {
			all = append(all, "")
		}
		lines := p.blocks(item, width-len([]rune(mark)), list.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		all = append(all, indented(lines, mark, strings.Repeat(" ", len([]rune(mark))))...)
	}
	return all
}

func hasBox(item ast.Node) bool {
	first := item.FirstChild()
	return first != nil && first.FirstChild() != nil && first.FirstChild().Kind() == extended.KindTaskCheckBox
}

func (p *page) table(n *extended.Table, width int) []string {
	t := table.New().Border(lipgloss.NormalBorder()).StyleFunc(func(_, column int) lipgloss.Style {
		style := lipgloss.NewStyle().Padding(0, 1)
		if column < len(n.Alignments) && n.Alignments[column] == extended.AlignRight {
			return style.Align(lipgloss.Right)
		}
		return style
	})
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		look := ""
		if row.Kind() == extended.KindTableHeader {
			look = "1"
		}
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, p.inline(cell, look))
		}
		if look != "" {
			t.Headers(cells...)
		} else {
			t.Row(cells...)
		}
	}
	if out := t.String(); lipgloss.Width(out) <= width {
		return strings.Split(out, "\n")
	}
	return strings.Split(t.Width(width).String(), "\n")
}

// verbatim are lines in their original form.
func (p *page) verbatim(lines *text.Segments, width int) []string {
	var all []string
	for i := range lines.Len() {
		segment := lines.At(i)
		line := clean(strings.ReplaceAll(strings.TrimRight(string(segment.Value(p.source)), "\n"), "\t", "    "))
		all = append(all, strings.Split(ansi.Hardwrap(line, max(width, 10), true), "\n")...)
	}
	return all
}

// inline renders the content of a block in a style, to which its parts add.
func (p *page) inline(parent ast.Node, look string) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(p.word(n, look))
	}
	return b.String()
}

func (p *page) word(n ast.Node, look string) string {
	switch n := n.(type) {
	case *ast.Text:
		end := ""
		if n.HardLineBreak() {
			end = "\n"
		} else if n.SoftLineBreak() {
			end = " "
		}
		return looking(look, said(n.Segment.Value(p.source))) + end
	case *ast.String:
		return looking(look, said(n.Value))
	case *ast.CodeSpan:
		return looking(also(look, codeLook), clean(p.raw(n)))
	case *ast.Emphasis:
		return p.inline(n, also(look, map[bool]string{true: "1", false: "3"}[n.Level > 1]))
	case *extended.Strikethrough:
		return p.inline(n, also(look, "9"))
	case *ast.Link:
		return p.leading(n, string(n.Destination), look)
	case *ast.Image:
		return p.leading(n, string(n.Destination), look)
	case *ast.AutoLink:
		return looking(also(look, linkLook), clean(string(n.Label(p.source))))
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			b.Write(segment.Value(p.source))
		}
		return looking(look, clean(b.String()))
	case *extended.TaskCheckBox:
		if n.IsChecked {
			return looking(look, "[✓] ")
		}
		return looking(look, "[ ] ")
	}
	return p.inline(n, look)
}

// leading renders a link: its text, followed by its address.
func (p *page) leading(n ast.Node, to, look string) string {
	words, to := p.inline(n, also(look, linkLook)), clean(to)
	if plain := ansi.Strip(words); plain == to || to == "" || plain == strings.TrimPrefix(to, "mailto:") {
		return words
	}
	return words + looking(look, " ("+to+")")
}

// raw is the text of a code span.
func (p *page) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(p.source))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

var entity = regexp.MustCompile(`&(#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`)

// said decodes the text of a Markdown node. Entities of control characters are left as they are.
func said(source []byte) string {
	return clean(entity.ReplaceAllStringFunc(string(util.UnescapePunctuations(source)), func(e string) string {
		if means := html.UnescapeString(e); means == clean(means) {
			return means
		}
		return e
	}))
}

func also(look, more string) string {
	if look == "" {
		return more
	}
	return look + ";" + more
}

func looking(look, words string) string {
	if look == "" || words == "" {
		return words
	}
	return "\x1b[" + look + "m" + words + "\x1b[0m"
}

// wrapped wraps the lines of a block. A style that continues over the end of a line is restarted on the next
// one, so that it does not affect the text before that line.
func wrapped(words string, width int) []string {
	lines := strings.Split(ansi.Wrap(words, width, ""), "\n")
	open := ""
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		begun := open
		for _, s := range sequence.FindAllString(line, -1) {
			if open = s; s == "\x1b[0m" {
				open = ""
			}
		}
		lines[i] = begun + line
		if open != "" {
			lines[i] += "\x1b[0m"
		}
	}
	return lines
}

func indented(lines []string, first, others string) []string {
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = others + lines[i]
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}
