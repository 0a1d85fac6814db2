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

// What the console tells its model.
type (
	live     string   // the part of the answer that is not whole yet
	held     string   // what waits for it
	ask      string   // a question, or that there is none any more
	pass     string   // what goes on
	giveBack string   // a text that was not taken
	lend     struct{} // the terminal is wanted by another program
	closing  struct{}
)

// mostRows is how long a text may be that is typed, in rows.
const mostRows = 10_000

// model is what stands at the foot of the terminal.
type model struct {
	console *Console
	pressed chan<- os.Signal
	input   textarea.Model
	walk    walk

	live     string
	held     string
	passing  string
	question string
	asked    int    // how many questions were asked
	aside    string // what was being typed when the question came
	lent     bool   // another program has the terminal
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
	m.input.KeyMap.Paste.SetEnabled(false) // it would run programs; terminals paste by themselves
	m.input.SetPromptFunc(2, func(line textarea.PromptInfo) string {
		if line.LineNumber == 0 {
			return "> "
		}
		return "  "
	})
	m.fit()
	return m
}

// Init begins to listen to the keys.
func (m *model) Init() tea.Cmd { return m.input.Focus() }

// Update takes a key or what the console tells.
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

// fit gives the input the terminal's width, and a quarter of its height at most.
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

// ask puts a question. Half a message is no answer to it: it comes back afterwards.
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

// resume goes on with what was being typed before a question.
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

// View is what stands there: of the answer what fits, what goes on, the question, the input.
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
		view.Cursor.Color, view.Cursor.Blink = nil, false // the terminal's own
	}
	return view
}

// lastRows are the last rows of a text, as many as there is room for.
func lastRows(text string, width, room int) []string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return nil
	}
	rows := strings.Split(ansi.Wrap(text, width, ""), "\n")
	return rows[max(0, len(rows)-room):]
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
