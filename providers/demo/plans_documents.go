package demo

import (
	"fmt"
	"strings"
)

// draft writes a document's draft; the server asks the person by itself.
func draft(c *planner, g groups) {
	name := title(strings.Trim(g["name"], `"«»“” `))
	params := map[string]any{"key": slug(name, "document"), "title": name, "body": g["text"]}
	doing := fmt.Sprintf(
		c.in("I ask to write the draft of the document “%s”.", "Je demande à écrire le brouillon du document « %s »."),
		name,
	)
	if _, ok := c.act(doing, "CONTEXT_UPDATE", params); ok {
		c.say("The draft of “%s” is written. No session reads it yet: say “publish the document %s”.",
			"Le brouillon de « %s » est écrit. Aucune session ne le lit encore : dites « publie le document %s ».", name, name)
	}
}

func publish(c *planner, g groups) {
	doc, ok := c.findDocument(g["name"])
	if !ok {
		return
	}
	doing := fmt.Sprintf(c.in("I ask to publish the document “%s”.", "Je demande à publier le document « %s »."), doc.name)
	if _, ok := c.act(doing, "CONTEXT_PUBLISH", map[string]any{"key": doc.key}); ok {
		c.say(
			"“%s” is published: every session reads it from now on.",
			"« %s » est publié : toutes les sessions le lisent désormais.",
			doc.name,
		)
	}
}

// findDocument finds a document by its title or key, and reports if there is none.
func (c *planner) findDocument(name string) (*record, bool) {
	s, ok := c.query("CONTEXT", nil)
	if !ok {
		return nil, false
	}
	all := look(s.text).documents
	doc := best(all, name)
	if doc == nil {
		c.noSuch(all, "document", name)
	}
	return doc, doc != nil
}

func documents(c *planner, _ groups) {
	s, ok := c.query("CONTEXT", nil)
	if !ok {
		return
	}
	all := look(s.text).documents
	if len(all) == 0 {
		c.say("There is no document yet. Say for example “draft a document House rules: shoes off”.",
			"Il n'y a encore aucun document. Dites par exemple « rédige un document Règles : sans chaussures ».")
		return
	}
	lines := []string{c.in("Your documents:", "Vos documents :")}
	for _, d := range all {
		state := c.in("published", "publié")
		if d.fields["published"] != true {
			state = c.in("a draft", "un brouillon")
		} else if d.fields["draft_differs"] == true {
			state = c.in("published, with a newer draft", "publié, avec un brouillon plus récent")
		}
		lines = append(lines, "- "+d.name+" ("+state+")")
	}
	c.said = append(c.said, strings.Join(lines, "\n"))
	c.justRead(s)
}

func document(c *planner, g groups) {
	found, ok := c.findDocument(g["name"])
	if !ok {
		return
	}
	// Another query of the same name: the memo keeps the two apart by their params.
	s, ok := c.query("CONTEXT", map[string]any{"key": found.key})
	if !ok {
		return
	}
	for _, d := range look(s.text).documents {
		if body, _ := d.fields["published_body"].(string); body != "" {
			c.say("“%s”, as every session reads it:\n\n%s", "« %s », tel que les sessions le lisent :\n\n%s", d.name, body)
		}
		if body, _ := d.fields["draft_body"].(string); body != "" {
			c.say("The draft of “%s”, not published:\n\n%s", "Le brouillon de « %s », pas publié :\n\n%s", d.name, body)
		}
	}
}

// search looks for words everywhere, the best first.
func search(c *planner, g groups) {
	text := strings.Trim(g["text"], `"«»“” `)
	s, ok := c.query("SEARCH", map[string]any{"query": text, "limit": shownEntries})
	if !ok {
		return
	}
	hits := look(s.text).hits
	if len(hits) == 0 {
		c.say("I find “%s” nowhere in your data.", "Je ne trouve « %s » nulle part dans vos données.", text)
		return
	}
	lines := []string{fmt.Sprintf(c.in("I find “%s” here:", "Je trouve « %s » ici :"), text)}
	for _, h := range hits {
		said := func(key string) string { s, _ := h[key].(string); return s }
		where, at := said("tool"), said("timestamp")
		if where == "" {
			where = c.in("the document ", "le document ") + said("title")
		}
		lines = append(lines, fmt.Sprintf(c.in("- %s (%s): %s", "- %s (%s) : %s"), where, at[:min(len(at), 10)], oneLine(said("snippet"))))
	}
	c.said = append(c.said, strings.Join(lines, "\n"))
	c.justRead(s)
}

// slug is a name as an id: "House rules" -> "house-rules". It begins with a letter.
func slug(name, otherwise string) string {
	var b strings.Builder
	for _, r := range accents.Replace(strings.ToLower(name)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	id := b.String()
	id = strings.Trim(id[:min(len(id), 60)], "-")
	if id == "" {
		return otherwise
	}
	return id
}
