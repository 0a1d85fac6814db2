package data

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

var invoices = &userdata.ToolType{
	ID: "invoices",
	ToolTypeFields: userdata.ToolTypeFields{EntrySchema: json.RawMessage(`{"type": "object", "required": ["amount"], "properties": {
	"amount": {"type": "number"}, "count": {"type": "integer"}, "paid": {"type": "boolean"}, "supplier": {"type": "string"},
	"note": {"type": ["string", "null"]}, "tags": {"type": "array", "items": {"type": "string"}}, "a.b": {"type": "string"}, "day": {"type": "string"},
	"address": {"type": "object", "properties": {"city": {"$ref": "#/$defs/city"}}},
	"free": {"type": "object", "additionalProperties": true}, "either": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
	"$defs": {"city": {"type": "string"}}}`)},
}

func TestConditionsAreRead(t *testing.T) {
	for where, want := range map[string]string{
		``:                  `null`,
		`{}`:                `null`,
		`{"paid": false}`:   `[{"Field":["paid"],"Compare":"eq","Value":false}]`,
		`{"note": null}`:    `[{"Field":["note"],"Compare":"eq","Value":null}]`,
		`{"amount": 1.5e3}`: `[{"Field":["amount"],"Compare":"eq","Value":1500}]`,
		`{"amount": {"gt": 1, "lte": 2}, "supplier": {"in": ["S3", null]}}`: `[{"Field":["amount"],"Compare":"gt","Value":1},` +
			`{"Field":["amount"],"Compare":"lte","Value":2},{"Field":["supplier"],"Compare":"in","Value":["S3",null]}]`,
		`{"count": {"ne": 3}}`:                      `[{"Field":["count"],"Compare":"ne","Value":3}]`,
		`{"address.city": {"contains": "lyon"}}`:    `[{"Field":["address","city"],"Compare":"contains","Value":"lyon"}]`,
		`{"a.b": "x"}`:                              `[{"Field":["a.b"],"Compare":"eq","Value":"x"}]`,
		`{"free.any.thing": {"exists": false}}`:     `[{"Field":["free","any","thing"],"Compare":"exists","Value":false}]`,
		`{"either": 1}`:                             `[{"Field":["either"],"Compare":"eq","Value":1}]`,
		`{"supplier": {"gte": "S3"}}`:               `[{"Field":["supplier"],"Compare":"gte","Value":"S3"}]`,
		`{"supplier": {"in": []}}`:                  `[{"Field":["supplier"],"Compare":"in","Value":[]}]`,
		`{"amount": {"eq": 9007199254740992}}`:      `[{"Field":["amount"],"Compare":"eq","Value":9007199254740992}]`,
		`{"supplier": {"eq": "'; DROP TABLE x--"}}`: `[{"Field":["supplier"],"Compare":"eq","Value":"'; DROP TABLE x--"}]`,
	} {
		filter, _, err := Filter(invoices, &userdata.EntryQuery{Where: json.RawMessage(where)})
		got, _ := json.Marshal(filter.Conditions)
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v\nwant %s", where, got, err, want)
		}
	}
}

func TestConditionsAreRefused(t *testing.T) {
	var many []string
	for i := range 10_000 {
		many = append(many, fmt.Sprintf(`"f%d": 1`, i))
	}
	for where, want := range map[string]string{
		`{"amuont": 1}`:                                     "/where/amuont unknown",
		`{"address": {"town": "x"}}`:                        "/where/address/town unknown",
		`{"address.town": "x"}`:                             "/where/address.town unknown",
		`{"amount": "1000"}`:                                "/where/amount type",
		`{"amount": {"gt": "1000"}}`:                        "/where/amount/gt type",
		`{"amount": {"gt": true}}`:                          "/where/amount/gt type",
		`{"amount": {"contains": "1"}}`:                     "/where/amount/contains type",
		`{"amount": {}}`:                                    "/where/amount required",
		`{"amount": [1]}`:                                   "/where/amount type",
		`{"amount": {"eq": {"gt": 1}}}`:                     "/where/amount/eq type",
		`{"amount": {"regex": ".*"}}`:                       "/where/amount/regex unknown",
		`{"amount": {"$gt": 1}}`:                            "/where/amount/$gt unknown",
		`{"amount": 9007199254740993}`:                      "/where/amount out_of_range",
		`{"amount": {"in": [1, 1e17]}}`:                     "/where/amount/in/1 out_of_range",
		`{"amount": {"in": 1}}`:                             "/where/amount/in type",
		`{"paid": {"gt": 0}}`:                               "/where/paid/gt type",
		`{"paid": {"exists": "yes"}}`:                       "/where/paid/exists type",
		`{"supplier": {"contains": ""}}`:                    "/where/supplier/contains type",
		`[]`:                                                "/where type",
		`{"paid": false`:                                    "/where json",
		`{"paid": false, "paid": true}`:                     "/where json",
		`{"amount": {"gt": 1, "gt": 2}}`:                    "/where json",
		`{"supplier": "a\u0000"}`:                           "/where/supplier nul",
		`{"supplier": {"in": ["\ud800"]}}`:                  "/where/supplier/in/0 lone_surrogate",
		`{"free.a\u0000": 1}`:                               "/where/free.a\ufffd nul",
		`{"a/b~c": 1}`:                                      "/where/a~1b~0c unknown",
		`{"supplier": "` + strings.Repeat("x", 1001) + `"}`: "/where/supplier too_long",
		`{` + strings.Join(many, ",") + `}`:                 "/where too_large",
		`{"supplier": {"in": [` + strings.Repeat(`"x",`, 200) + `"x"]}}`: "/where/supplier/in too_many",
	} {
		_, _, err := Filter(invoices, &userdata.EntryQuery{Where: json.RawMessage(where)})
		wrong, ok := err.(*domain.Error)
		if !ok || len(wrong.Fields) != 1 || wrong.Fields[0].Pointer+" "+wrong.Fields[0].Code != want {
			t.Errorf("%.80s: %v, want %s", where, err, want)
		}
	}
	_, _, err := Filter(invoices, &userdata.EntryQuery{Where: json.RawMessage(`{"amuont": 1}`)})
	if err == nil || !strings.Contains(err.Error(), "address.city, amount, count") {
		t.Errorf("the error does not name the fields there are: %v", err)
	}
}

// TestFieldsOfAnySchema: a field is found however the schema describes it.
func TestFieldsOfAnySchema(t *testing.T) {
	for schema, name := range map[string]string{
		`{"type": "object", "properties": {"a": true, "b": false}}`:                                                               "a",
		`{"type": "object", "properties": {"a": {"allOf": [true, {"properties": {"b": {}}}]}}}`:                                   "a.b",
		`{"type": "object", "properties": {"a": {"$ref": "#/definitions/x"}}, "definitions": {"x": {"properties": {"b": true}}}}`: "a.b",
		`{"type": "object", "properties": {"a": {"$ref": "#/$defs/x~1y"}}, "$defs": {"x/y": {"properties": {"b": {}}}}}`:          "a.b",
		`{"type": "object", "properties": {"a": {"$ref": "#/properties/c"}, "c": {"properties": {"b": {}}}}}`:                     "a.b",
		`{"type": "object", "anyOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"properties": {"b": {}}}}}`:                         "b",
		`{"type": "object", "ALLOF": "a keyword of their own", "properties": {"a": {}}}`:                                          "a",
		`{"type": "object", "additionalProperties": {"type": "number"}}`:                                                          "a",
		`{"type": "object", "properties": {"a": {"additionalProperties": true}}}`:                                                 "a.b",
	} {
		tool := &userdata.ToolType{ToolTypeFields: userdata.ToolTypeFields{EntrySchema: json.RawMessage(schema)}}
		if err := (&Schemas{}).Compile(tool.EntrySchema); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
		filter, _, err := Filter(tool, &userdata.EntryQuery{OrderBy: name})
		if err != nil || strings.Join(filter.Order, ".") != name {
			t.Errorf("%s: %v, %v", schema, filter.Order, err)
		}
	}
}

func TestOrderAndFieldsAreFound(t *testing.T) {
	filter, fields, err := Filter(invoices, &userdata.EntryQuery{OrderBy: "address.city", Fields: []string{"amount", "a.b", "address.city", "free.x"}})
	if err != nil || fmt.Sprint(filter.Order) != "[address city]" {
		t.Errorf("%v, %v", filter.Order, err)
	}
	entries := []userdata.Entry{{Data: json.RawMessage(`{"amount":1,"a.b":"x","address":{"city":"Lyon","zip":"1"},"free":{"y":2},"paid":true}`)}, {Data: json.RawMessage(`{}`)}}
	if err := Project(entries, fields); err != nil {
		t.Fatal(err)
	}
	if got := string(entries[0].Data) + string(entries[1].Data); got != `{"a.b":"x","address":{"city":"Lyon"},"amount":1}{}` {
		t.Errorf("chosen: %s", got)
	}
	for _, q := range []userdata.EntryQuery{
		{OrderBy: "nothing"}, {OrderBy: "free.\xff"}, {OrderBy: "free.\x00"}, {Fields: []string{"free.\xff"}}, {Fields: []string{"amount", "nothing"}}, {Fields: make([]string, 51)},
	} {
		if _, _, err := Filter(invoices, &q); domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
