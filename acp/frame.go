package acp

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
)

// appender writes itself as JSON.
type appender interface {
	appendJSON(dst []byte) []byte
}

// encodeRequest renders a request, or with id 0 a notification, as a frame.
func encodeRequest(id uint64, method string, params any) ([]byte, error) {
	b := make([]byte, 0, 128+sizeHint(params))
	b = append(b, `{"jsonrpc":"2.0",`...)
	if id != 0 {
		b = append(b, `"id":`...)
		b = strconv.AppendUint(b, id, 10)
		b = append(b, ',')
	}
	b = append(b, `"method":`...)
	b = appendString(b, method)
	b = append(b, `,"params":`...)
	b, err := appendValue(b, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return append(oneLine(append(b, '}')), '\n'), nil
}

// encodeAnswer renders an answer to a request of the agent as a frame. A result that cannot be encoded is an error.
func encodeAnswer(id []byte, result any, rpc *Error) []byte {
	b := make([]byte, 0, 128)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	if rpc == nil {
		answer, err := appendValue(append(b, `,"result":`...), result)
		if err == nil {
			return append(oneLine(append(answer, '}')), '\n')
		}
		rpc = &Error{Code: CodeInternalError, Message: "cannot encode the result"}
	}
	b = append(b, `,"error":{"code":`...)
	b = strconv.AppendInt(b, int64(rpc.Code), 10)
	b = appendRequired(b, "message", rpc.Message)
	if len(rpc.Data) > 0 && checkJSON(rpc.Data) == nil {
		b = append(b, `,"data":`...)
		b = append(b, rpc.Data...)
	}
	return append(oneLine(append(b, '}', '}')), '\n')
}

// sizeHint is about how long params will be, so that a long prompt is not moved while it is written.
func sizeHint(params any) int {
	p, ok := params.(promptParams)
	if !ok {
		return 0
	}
	size := 0
	for _, block := range p.Prompt {
		if text, ok := block.(*TextContent); ok {
			size += len(text.Text) + len(text.Text)/16
		}
	}
	return size
}

// appendValue appends v as JSON, HTML left alone.
func appendValue(dst []byte, v any) ([]byte, error) {
	if a, ok := v.(appender); ok {
		return a.appendJSON(dst), nil
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot encode: %w", err)
	}
	return append(dst, encoded...), nil
}

// oneLine is JSON without line ends, which a frame must not hold. Only what a caller wrote by hand can have any.
func oneLine(encoded []byte) []byte {
	if bytes.IndexByte(encoded, '\n') < 0 {
		return encoded
	}
	var b bytes.Buffer
	if stdjson.Compact(&b, encoded) != nil {
		return encoded
	}
	return b.Bytes()
}

// decodeError reads the error member of an answer.
func decodeError(raw []byte) *Error {
	e := &Error{Code: CodeInternalError}
	var d decoder
	if text, err := decodeString(raw); err == nil {
		e.Message = text // some agents send nothing but a text
		return e
	}
	d.object("error", raw, func(key, value []byte) {
		switch string(key) {
		case "code":
			d.integer("code", value, (*int64)(&e.Code))
		case "message":
			d.str("message", value, &e.Message)
		case "data":
			e.Data = bytes.Clone(value)
		}
	})
	if e.Message == "" {
		e.Message = "no message"
	}
	return e
}
