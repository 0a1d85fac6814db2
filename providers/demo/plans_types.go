package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// fieldText is a field as people say it: "pages (number)".
var fieldText = regexp.MustCompile(`^(.+?)(?: ?\((.+)\))?$`)

// kinds are the words for the JSON types of a field; without one it is a text.
var kinds = map[string]string{"number": "number", "nombre": "number", "yes/no": "boolean", "oui/non": "boolean"}

// createType makes a tool type of named fields, of which the first must be there.
func createType(c *planner, g groups) {
	name := title(strings.Trim(g["name"], `"«»“” `))
	properties := map[string]any{}
	var required []string
	for _, item := range itemSeparator.Split(g["fields"], -1) {
		m := fieldText.FindStringSubmatch(strings.TrimSpace(item))
		if m == nil {
			continue
		}
		kind := kinds[strings.ToLower(strings.TrimSpace(m[2]))]
		if kind == "" {
			kind = "string"
		}
		key := strings.ReplaceAll(slug(withoutArticle(m[1]), "field"), "-", "_")
		if required == nil {
			required = []string{key}
		}
		properties[key] = map[string]any{"type": kind, "title": title(withoutArticle(m[1]))}
	}
	doing := fmt.Sprintf(c.in("I create the tool type “%s”.", "Je crée le type d'outil « %s »."), name)
	if _, ok := c.act(doing, "CREATE_TOOL_TYPE", map[string]any{
		"id": slug(name, "type"), "name": name,
		"config_schema": map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false},
		"entry_schema":  map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false},
	}); ok {
		c.say("The tool type “%s” is there. Now you can say: “create a tool My list of type %s”.",
			"Le type d'outil « %s » est là. Vous pouvez dire : « crée un outil Ma liste de type %s ».", name, name)
	}
}

// createOf makes a tool of a type that is found by its name.
func createOf(c *planner, g groups) {
	s, ok := c.query("SCHEMA", map[string]any{"of": "tool"})
	if !ok {
		return
	}
	types := look(s.text).types
	of := best(types, g["type"])
	if of == nil {
		c.noSuch(types, c.in("tool type", "type d'outil"), g["type"])
		return
	}
	name := title(strings.Trim(g["name"], `"«»“” `))
	if _, ok := c.createTool(name, of.id, g["zone"], map[string]any{}); ok {
		c.say("“%s” is there, of the type “%s”.", "« %s » est là, du type « %s ».", name, of.name)
	}
}

// fillIn adds an entry by the names of its fields, typed as the tool's schema says.
func fillIn(c *planner, g groups) {
	tool, ok := c.needTool(g["tool"])
	if !ok {
		return
	}
	s, ok := c.query("SCHEMA", map[string]any{"of": "entry", "tool_type": tool.toolType})
	if !ok {
		return
	}
	data, ok := c.typed(g["pairs"], propertiesIn(s.text))
	if !ok {
		return
	}
	if c.addEntries(fmt.Sprintf(c.in("I add it to “%s”.", "Je l'ajoute à « %s »."), tool.name), tool.id, "", data) {
		c.say("Added to “%s”: %s.", "Ajouté à « %s » : %s.", tool.name, c.fields(data))
	}
}

// propertiesIn are the fields of the first schema in a result, with their types.
func propertiesIn(text string) map[string]string {
	properties := map[string]string{}
	for _, t := range look(text).types {
		schema, _ := t.fields["schema"].(map[string]any)
		fields, _ := schema["properties"].(map[string]any)
		for name, field := range fields {
			described, _ := field.(map[string]any)
			properties[name], _ = described["type"].(string)
		}
	}
	return properties
}

// typed reads "title = Dune, pages = 412"; a piece without "=" belongs to the one
// before it, as in "price = 12,5".
func (sp *speech) typed(pairs string, properties map[string]string) (map[string]any, bool) {
	var pieces []string
	for piece := range strings.SplitSeq(pairs, ",") {
		if n := len(pieces); n > 0 && !strings.Contains(piece, "=") {
			pieces[n-1] += "," + piece
			continue
		}
		pieces = append(pieces, piece)
	}
	data := map[string]any{}
	for _, piece := range pieces {
		said, value, _ := strings.Cut(piece, "=")
		value = strings.TrimSpace(value)
		key, ok := matching(properties, said)
		if !ok {
			sp.say("There is no field “%s”.", "Il n'y a pas de champ « %s ».", strings.TrimSpace(said))
			return nil, false
		}
		data[key] = value
		switch kind := properties[key]; {
		case (kind == "number" || kind == "integer") && numberOnly.FindString(value) == value && value != "":
			data[key] = json.Number(plainNumber(value))
		case kind == "boolean":
			data[key] = !isNo(value)
		}
	}
	return data, len(data) > 0
}

// matching is the property that a person means; of several that fit, the first by name.
func matching(properties map[string]string, said string) (string, bool) {
	var fit []string
	for name := range properties {
		if keyOf(strings.ReplaceAll(name, "_", " ")) == keyOf(said) {
			fit = append(fit, name)
		}
	}
	if len(fit) == 0 {
		return "", false
	}
	return slices.Min(fit), true
}
