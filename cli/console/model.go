package console

import (
	"os"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Messages from the console to its model.
type (
	live     string   // the incomplete part of the answer
	held     string   // lines that wait for it
	ask      string   // a question; "" removes it
	pass     string   // the current activity
	giveBack string   // a text that was not accepted
	lend     struct{} // another program needs the terminal
	closing  struct{}
)

// mostRows bounds the input, in rows.
const mostRows = 10_000

// model is the lower part of the terminal.
type model struct {
	console *Console
	pressed chan<- os.Signal
	input   textarea.Model
	walk    walk

	live     string
	held     string
	passing  string
	question string
	asked    int    // number of questions so far
	aside    string // the unfinished input when the question arrived
	lent     bool   // another program uses the terminal
	over     bool
}

func newModel(c *Console, config Config) *model {
	m := &model{console: c, pressed: config.Pressed, input: textarea.New(), walk: walk{history: config.History}}
	styles := m.input.Styles()
	plain := textarea.StyleState{Prompt: lipgloss.NewStyle().Bold(true)}
	styles.Focused, styles.Blurred = plain, plain
	m.input.SetStyles(styles)
	m.input.ShowLineNumbers = false
	m.input.SetVirtualCursor(false)
	m.input.DynamicHeight, m.input.MinHeight, m.input.MaxContentHeight = true, 1, mostRows
	m.input.MaxWidth = 0
	m.input.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("alt+enter", "shift+enter", "ctrl+j"))
	m.input.KeyMap.Paste.SetEnabled(false) // it would run programs; terminals paste themselves
	m.input.SetPromptFunc(2, func(line textarea.PromptInfo) string {
		if line.LineNumber == 0 {
			return "> "
		}
		return "  "
	})
	m.fit()
	return m
}

// Init starts reading the keys.
func (m *model) Init() tea.Cmd { return m.input.Focus() }

// Update handles a key or a message of the console.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.console.size.set(msg.Width, msg.Height)
		m.fit()
	case live:
		m.live = string(msg)
	case held:
		m.held = string(msg)
	case pass:
		m.passing = string(msg)
	case ask:
		m.ask(string(msg))
	case giveBack:
		m.giveBack(string(msg))
	case lend:
		m.lent = true
		return m, tea.Quit
	case closing:
		m.over = true
		return m, tea.Quit
	case tea.PasteMsg:
		msg.Content = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(msg.Content)
		return m, m.edit(msg)
	case tea.KeyPressMsg:
		return m, m.press(msg)
	default:
		return m, m.edit(msg)
	}
	return m, nil
}

// fit gives the input the terminal's width, and at most a quarter of its height.
func (m *model) fit() {
	width, height := m.console.size.get()
	m.input.MaxHeight = max(height/4, 1)
	m.input.SetWidth(max(width-1, 4))
}

func (m *model) edit(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(msg)
	return cmd
}

// ask displays a question. Unfinished input is no answer to it: it is restored afterwards.
func (m *model) ask(question string) {
	if question != "" {
		m.asked++
		if m.question == "" {
			m.aside = m.input.Value()
			m.replace("")
		}
	} else if m.question != "" {
		m.resume()
	}
	m.question = question
}

// resume restores the unfinished input from before a question.
func (m *model) resume() {
	m.replace(m.aside)
	m.aside, m.question = "", ""
}

func (m *model) replace(text string) {
	m.input.SetValue(text)
	m.input.MoveToEnd()
	m.walk.rest()
}

func (m *model) giveBack(text string) {
	into := &m.aside
	now := m.aside
	if m.question == "" {
		into, now = nil, m.input.Value()
	}
	if now != "" {
		text = text + "\n" + now
	}
	if into != nil {
		*into = text
		return
	}
	m.replace(text)
}

// View renders the end of the answer, the activity, the question and the input.
func (m *model) View() tea.View {
	if m.over || m.lent {
		return tea.NewView("")
	}
	width, height := m.console.size.get()
	width = max(width-1, 1)
	rows := slices.Concat(lastRows(m.live, width, max(height/4, 1)), lastRows(m.held, width, max(height/8, 1)))
	if m.passing != "" {
		rows = append(rows, "\x1b[2m· "+ansi.Truncate(oneLine(m.passing), width-2, "…")+"\x1b[22m")
	}
	if m.question != "" {
		rows = append(rows, "\x1b[1m"+ansi.Truncate(oneLine(m.question), width, "…")+"\x1b[22m")
	}
	view := tea.NewView(strings.Join(append(rows, m.input.View()), "\n"))
	if view.Cursor = m.input.Cursor(); view.Cursor != nil {
		view.Cursor.Y += len(rows)
		view.Cursor.Color, view.Cursor.Blink = nil, false // the terminal's defaults
	}
	return view
}

// lastRows are the last rows of a text that fit.
func lastRows(text string, width, room int) []string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return nil
	}
	rows := strings.Split(ansi.Wrap(text, width, ""), "\n")
	return rows[max(0, len(rows)-room):]
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
