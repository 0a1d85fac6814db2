// Package golden compares what is made now with files that people have read.
package golden
