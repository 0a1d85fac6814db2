// Package spelling finds what somebody meant who mistyped a name.
package spelling

import "strings"

// longest bounds the work: a longer name is nobody's slip of a finger.
const longest = 50

// Nearest is the known name that was probably meant, or "": at most three letters apart,
// and the fewer the shorter the name is. Of equally near ones it is the first.
func Nearest(name string, known []string) string {
	if len(name) > longest {
		return ""
	}
	best, distance := "", min(3, 1+len(name)/3)+1
	for _, k := range known {
		if d := edits(strings.ToLower(name), k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// edits counts the letters to insert, delete or replace (Levenshtein).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, corner+cost)
			corner, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
