package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// events writes server-sent events, each flushed at once. After the first
// error it writes nothing more and keeps returning that error.
type events struct {
	w     http.ResponseWriter
	flush *http.ResponseController
	err   error
}

func startEvents(w http.ResponseWriter) *events {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return &events{w: w, flush: http.NewResponseController(w)}
}

// json sends a value as the data of an event without a name.
func (e *events) json(value any) error {
	data, err := json.Marshal(value)
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("cannot encode an event: %w", err)
	}
	return e.text(string(data))
}

// named sends a value as the data of an event with a name.
func (e *events) named(name string, value any) error {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, "event: %s\n", name)
	}
	return e.json(value)
}

// text sends one line of data.
func (e *events) text(data string) error {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, "data: %s\n\n", data)
	}
	if e.err == nil {
		e.err = e.flush.Flush()
	}
	return e.err
}

// writeJSON answers with one JSON document. A client that is gone is nobody's
// concern here.
func writeJSON(w http.ResponseWriter, status int, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"cannot encode the reply"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}
