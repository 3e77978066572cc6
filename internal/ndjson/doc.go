// Package ndjson frames a byte stream into lines and lines into a byte stream.
//
// It knows nothing of JSON: a frame is what stands between two 0x0A bytes. The verdict on a line depends on its length
// alone and never on how the bytes were cut into reads, and what is retained never exceeds the cap by more than a
// constant.
package ndjson
