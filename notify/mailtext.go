package notify

import (
	"bytes"
	"fmt"
	htmltemplate "html/template"
	texttemplate "text/template"
)

const plainMail = `{{.Title}}
{{range .Items}}
{{if $.Many}}* {{.What}}
{{end}}{{range .Details}}{{.}}
{{end}}{{with .Until}}({{.}})
{{end}}{{.Link}}
{{end}}
{{.Note}}
`

// The HTML loads nothing from anywhere.
const htmlMail = `<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>
<body style="font-family: system-ui, sans-serif; line-height: 1.5">
<h1 style="font-size: 1.25em">{{.Title}}</h1>
{{range .Items}}<div style="margin: 1em 0">
{{if $.Many}}<p><strong>{{.What}}</strong></p>{{end}}
{{range .Details}}<p>{{.}}</p>{{end}}
{{with .Until}}<p>({{.}})</p>{{end}}
<p><a href="{{.Link}}">{{$.Answer}}</a></p>
</div>{{end}}
<p><small>{{.Note}}</small></p>
</body></html>
`

var (
	plainTemplate = texttemplate.Must(texttemplate.New("plain").Parse(plainMail))
	htmlTemplate  = htmltemplate.Must(htmltemplate.New("html").Parse(htmlMail))
)

// mail renders the body of an email as plain text and as HTML.
func (t *message) mail() (plain, html string, err error) {
	data := map[string]any{
		"Language": t.settings.Language, "Title": t.title(), "Items": t.items(), "Many": len(t.asked) > 1,
		"Answer": t.settings.Say("View and answer", "Voir et répondre"),
		"Note": t.settings.Say("Opening the link does not answer the request. Anyone who has it can answer: do not forward this email.",
			"Ouvrir le lien ne décide de rien. Qui le détient peut répondre : ne transférez pas ce message."),
	}
	var text, page bytes.Buffer
	if err := plainTemplate.Execute(&text, data); err != nil {
		return "", "", fmt.Errorf("render an email: %w", err)
	}
	if err := htmlTemplate.Execute(&page, data); err != nil {
		return "", "", fmt.Errorf("render an email: %w", err)
	}
	return text.String(), page.String(), nil
}
