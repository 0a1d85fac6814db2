package jsonbody

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNumbersThatAreWhole(t *testing.T) {
	for number, want := range map[string]int64{
		"0": 0, "5": 5, "-5": -5, "5.0": 5, "5.000": 5, "-5.0": -5, "1e3": 1000, "1E+3": 1000, "1.5e1": 15, "1.50e1": 15, "100e-2": 1, "120.0e-1": 12,
		"0.0": 0, "-0.0": 0, "0e999999": 0, "0.00e-5": 0, "9223372036854775807.0": math.MaxInt64, "-9223372036854775808.0": math.MinInt64,
		"9.223372036854775807e18": math.MaxInt64, "0.000001e6": 1,
	} {
		if got, ok := Whole(number); !ok || got != want {
			t.Errorf("%s is %d, %v", number, got, ok)
		}
	}
	for _, number := range []string{
		"5.5", "1e-1", "15e-1", "1.55e1", "1e19", "9223372036854775808.0", "-9223372036854775809.0", "1e999999999999999999999", "1e-999999999", "0.1",
		"99999999999999999999", "1e400", "", "-", "text",
	} {
		if got, ok := Whole(number); ok {
			t.Errorf("%s is %d", number, got)
		}
	}
}

// An integer is accepted in any spelling, at any position; any other number is rejected in
// the words that it had.
func TestWholeNumbersAreRead(t *testing.T) {
	var got everything
	text := `{"count": 5.0, "long":1e3, "share":2.0, "parts":[{"n":-2.0}], "by":{"a 1.0":{"n":3.0}}, "null":7.0, "text":"4.0 \" 5.0", "maybe_raw":[1.5, 6.0]}`
	if err := Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Count != 5 || got.Long != 1000 || got.Share != 2 || *got.Parts[0].N != -2 || *got.By["a 1.0"].N != 3 || got.Null[true] != 7 ||
		got.Text != `4.0 " 5.0` || string(*got.MaybeRw) != "[1.5, 6]" {
		t.Errorf("it is read as %+v, %s", got, *got.MaybeRw)
	}
	for _, text := range []string{`{"count":5.5}`, `{"count":1e19}`, `{"small":300.0}`, `{"count":"5.0"}`, `{"count":5.0`, `{"text":5.0}`} {
		err, expected := Unmarshal([]byte(text), &everything{}), json.Unmarshal([]byte(text), &everything{})
		if err == nil || err.Error() != expected.Error() {
			t.Errorf("%s: %v, and %v", text, err, expected)
		}
	}
	if err := Strictly([]byte(`{"count":5.0}`), &got); err != nil || got.Count != 5 {
		t.Errorf("strictly it is %d, %v", got.Count, err)
	}
	if err := Strictly([]byte(`{"count":5.0,"more":1}`), &everything{}); err == nil {
		t.Error("strictly, a field that there is not is read")
	}
	var asWritten everything // where nothing is wrong, raw values stay as they are
	if err := Unmarshal([]byte(`{"raw":[6.0],"count":5}`), &asWritten); err != nil || string(asWritten.Raw) != "[6.0]" {
		t.Errorf("%s, %v", asWritten.Raw, err)
	}
}
