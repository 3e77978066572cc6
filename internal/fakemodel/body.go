package fakemodel

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// bodyLimit bounds a request body, both as sent and unpacked.
const bodyLimit = 64 << 20

// statusError is a refusal with its HTTP status.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

func refuse(status int, format string, args ...any) error {
	return &statusError{status: status, text: fmt.Sprintf(format, args...)}
}

// readBody returns the unpacked body. It always reads to the end of what it
// accepts, because net/http notices a client that goes away only after that.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ", ")))
	var body io.Reader = http.MaxBytesReader(w, r.Body, limit)
	switch encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		packed, err := gzip.NewReader(body)
		if err != nil {
			return nil, bodyError("unpack", err, limit)
		}
		body = packed
	default:
		return nil, refuse(http.StatusUnsupportedMediaType,
			"cannot read content-encoding %q: send gzip or none", encoding)
	}
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, bodyError("read", err, limit)
	}
	if int64(len(data)) > limit {
		return nil, bodyError("read", &http.MaxBytesError{Limit: limit}, limit)
	}
	return data, nil
}

func bodyError(verb string, err error, limit int64) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refuse(http.StatusRequestEntityTooLarge, "cannot read the body: more than %d bytes", limit)
	}
	return refuse(http.StatusBadRequest, "cannot %s the body: %v", verb, err)
}
