package commands

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/commands/modules"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

type schemaParams struct {
	Of       string `json:"of"`
	ToolType string `json:"tool_type,omitempty"`
}

func schemaQueries() []*command {
	return []*command{
		newQuery(
			"SCHEMA",
			domain.RoleViewer,
			"JSON Schema of zones, tools, entries, or ASK_USER's data (module).",
			`"of": {"type": "string", "enum": ["zone", "tool", "entry", "module"]},
		"tool_type": {"type": "string", "description": "All when left out."}`,
			func(_ context.Context, c *call, p schemaParams) domain.Text { return schemaWords(p) },
			readSchema,
		).require("of"),
	}
}

func schemaWords(p schemaParams) domain.Text {
	what := map[string]domain.Text{
		"zone": domain.Say("zones", "des zones"), "module": domain.Say("questions", "des questions"),
		"tool": domain.Say("the config of tools", "de la configuration des outils"), "entry": domain.Say("entries", "des entrées"),
	}[p.Of]
	if p.ToolType != "" {
		what = domain.Join("", what, domain.Say(" of the type %s", " du type %s", nameText(p.ToolType)))
	}
	return domain.Say("Read the schema of %s", "Lire le schéma %s", what)
}

type typeSchema struct {
	ToolType    string          `json:"tool_type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

func readSchema(ctx context.Context, c *call, p schemaParams) (answer, error) {
	switch p.Of {
	case "zone":
		return answer{head: "The fields of a zone:", body: c.catalogue.commands["CREATE_ZONE"].own}, nil
	case "module":
		a := answer{head: "The communication modules, each with the schema of its data:", key: "schemas"}
		for _, name := range modules.Types() {
			a.rows = append(a.rows, jsonbody.Encode(struct {
				Type   string          `json:"type"`
				Schema json.RawMessage `json:"schema"`
			}{name, modules.DataSchema(name)}))
		}
		return a, nil
	}
	types, err := data.AllToolTypes(ctx, c.store)
	if err != nil {
		return answer{}, err
	}
	if p.ToolType != "" {
		t, err := data.FindToolType(ctx, c.store, p.ToolType)
		if err != nil {
			return answer{}, err
		}
		types = []userdata.ToolType{*t}
	}
	a := answer{
		head: map[string]string{"tool": "Schemas of the config of tools:", "entry": "Schemas of the data of entries:"}[p.Of],
		key:  "schemas",
	}
	for _, t := range types {
		schema := t.ConfigSchema
		if p.Of == "entry" {
			schema = t.EntrySchema
		}
		a.rows = append(a.rows, jsonbody.Encode(typeSchema{t.ID, t.Name, t.Description, schema}))
	}
	return a, nil
}
