package api

import (
	"reflect"
	"testing"

	"github.com/fermata-dev/fermata/domain/userdata"
)

// TestTheContractHasTheFieldsOfANoun: what may be asked of a noun are fields of it, and a response has them all.
func TestTheContractHasTheFieldsOfANoun(t *testing.T) {
	for _, pair := range [][2]reflect.Type{
		{reflect.TypeFor[NewZone](), reflect.TypeFor[userdata.ZoneFields]()},
		{reflect.TypeFor[ZonePatch](), reflect.TypeFor[userdata.ZoneFields]()},
		{reflect.TypeFor[userdata.ZoneFields](), reflect.TypeFor[Zone]()},
		{reflect.TypeFor[ToolTypePatch](), reflect.TypeFor[userdata.ToolTypeFields]()},
		{reflect.TypeFor[userdata.ToolTypeFields](), reflect.TypeFor[ToolType]()},
		{reflect.TypeFor[NewTool](), reflect.TypeFor[userdata.ToolFields]()},
		{reflect.TypeFor[ToolPatch](), reflect.TypeFor[userdata.ToolFields]()},
		{reflect.TypeFor[userdata.ToolFields](), reflect.TypeFor[Tool]()},
		{reflect.TypeFor[DocumentPatch](), reflect.TypeFor[userdata.DocumentFields]()},
		{reflect.TypeFor[userdata.DocumentFields](), reflect.TypeFor[Document]()},
		{reflect.TypeFor[NewAgent](), reflect.TypeFor[userdata.AgentFields]()},
		{reflect.TypeFor[AgentPatch](), reflect.TypeFor[userdata.AgentFields]()},
		{reflect.TypeFor[userdata.AgentFields](), reflect.TypeFor[Agent]()},
	} {
		func() {
			defer func() {
				if missing := recover(); missing != nil {
					t.Error(missing)
				}
			}()
			placesOf(pair[0], pair[1])
		}()
	}
}
