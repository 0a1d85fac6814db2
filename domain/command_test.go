package domain

import "testing"

func TestAllowsCommand(t *testing.T) {
	for _, c := range []struct {
		list []string
		name string
		want bool
	}{
		{[]string{"*"}, "A.B", true}, {nil, "A.B", false}, {[]string{"A.B"}, "A.B", true}, {[]string{"A.B"}, "A.BC", false},
		{[]string{"A.*"}, "A.B", true}, {[]string{"A.*"}, "AB.C", false}, {[]string{"X.Y", "A.*"}, "A.B", true}, {[]string{"B"}, "A.B", false},
	} {
		if got := AllowsCommand(c.list, c.name); got != c.want {
			t.Errorf("%v, %s: %v", c.list, c.name, got)
		}
	}
}
