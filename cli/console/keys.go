package console

import (
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// press handles a key.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	first := m.input.Line() == 0 && m.input.LineInfo().RowOffset == 0
	last := m.input.Line() == m.input.LineCount()-1 && m.input.LineInfo().RowOffset == m.input.LineInfo().Height-1
	switch name := key.String(); {
	case name == "enter":
		m.enter()
	case name == "ctrl+c":
		m.cancel()
	case name == "ctrl+d" && m.input.Value() == "":
		m.over = true
		return tea.Quit
	case name == "ctrl+z":
		return tea.Suspend
	case name == "ctrl+l":
		return tea.ClearScreen
	case (name == "up" || name == "ctrl+p") && first:
		m.recall(m.walk.older(m.input.Value()))
	case (name == "down" || name == "ctrl+n") && last:
		m.recall(m.walk.newer())
	default:
		return m.edit(key)
	}
	return nil
}

// recall displays an entry of the history, if there is one.
func (m *model) recall(text string, found bool) {
	if found {
		m.input.SetValue(text)
		m.input.MoveToEnd()
	}
}

// enter sends the input. A backslash before it starts a new line instead.
func (m *model) enter() {
	text := m.input.Value()
	if before, more := strings.CutSuffix(text, `\`); more && !strings.HasSuffix(before, `\`) {
		m.input.SetValue(before + "\n")
		m.input.MoveToEnd()
		return
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	typed := Typed{Text: text}
	if m.question != "" {
		typed.Question = m.asked
	}
	select {
	case m.console.typed <- typed:
	default:
		return // the input is full: the text stays
	}
	if m.question != "" {
		m.resume()
		return
	}
	m.walk.add(text)
	m.replace("")
}

// cancel clears the input, as in shells; the arrow key restores it. If the input is empty, Ctrl-C is
// passed on.
func (m *model) cancel() {
	if text := m.input.Value(); strings.TrimSpace(text) != "" {
		if m.question == "" {
			m.walk.remember(text)
		}
		m.replace("")
		return
	}
	select {
	case m.pressed <- os.Interrupt:
	default: // one is pending
	}
}
