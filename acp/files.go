package acp

import (
	"context"
	"encoding/json"
)

// FileReader reads files for agents. It mirrors the client's side of fs/read_text_file. Package workspace has one.
type FileReader interface {
	// ReadTextFile returns the text that was asked for, which must be valid UTF-8. An error that wraps fs.ErrNotExist is answered "resource not found"
	// (-32002), an *Error as it is, any other as an internal error with its text. Calls run side by side.
	ReadTextFile(ctx context.Context, req *ReadTextFileRequest) (string, error)
}

// FileWriter writes files for agents. It mirrors the client's side of fs/write_text_file. Package workspace has one.
type FileWriter interface {
	// WriteTextFile replaces the file, or creates it. Errors are answered like those of FileReader.
	WriteTextFile(ctx context.Context, req *WriteTextFileRequest) error
}

// ReadTextFileRequest asks for a file, or for some lines of it (ReadTextFileRequest).
type ReadTextFileRequest struct {
	SessionID SessionID
	Roots     []string // the session's directories, its cwd first; nothing else is the agent's business
	Path      string   // as the agent sent it
	Line      *int64   // the first line that is wanted, from 1; nil is the first one
	Limit     *int64   // how many lines; nil is all of them
	Raw       json.RawMessage
}

// WriteTextFileRequest asks for a file to be written (WriteTextFileRequest).
type WriteTextFileRequest struct {
	SessionID SessionID
	Roots     []string // the session's directories, its cwd first; nothing else is the agent's business
	Path      string   // as the agent sent it
	Content   string
	Raw       json.RawMessage
}

type readTextFileResult struct {
	Content string `json:"content"`
}

func (c *Conn) serveReadTextFile(in *inbound) {
	req := &ReadTextFileRequest{Raw: in.params}
	p := params{raw: in.params}
	p.each(func(d *decoder, key string, value []byte) {
		switch key {
		case "sessionId":
			d.str(key, value, (*string)(&req.SessionID))
		case "path":
			d.str(key, value, &req.Path)
		case "line":
			d.optInt(key, value, &req.Line)
		case "limit":
			d.optInt(key, value, &req.Limit)
		}
	})
	p.want("path", req.Path != "")
	c.serveSession(in, req.SessionID, &p, func(ctx context.Context, s *Session) (any, error) {
		req.Roots = s.Roots()
		text, err := s.services.readTextFile.ReadTextFile(ctx, req)
		return readTextFileResult{text}, err
	})
}

func (c *Conn) serveWriteTextFile(in *inbound) {
	req := &WriteTextFileRequest{Raw: in.params}
	p := params{raw: in.params}
	sent := false
	p.each(func(d *decoder, key string, value []byte) {
		switch key {
		case "sessionId":
			d.str(key, value, (*string)(&req.SessionID))
		case "path":
			d.str(key, value, &req.Path)
		case "content":
			d.str(key, value, &req.Content)
			sent = value[0] == '"'
		}
	})
	p.want("path", req.Path != "")
	p.want("content", sent)
	c.serveSession(in, req.SessionID, &p, func(ctx context.Context, s *Session) (any, error) {
		req.Roots = s.Roots()
		return struct{}{}, s.services.writeTextFile.WriteTextFile(ctx, req)
	})
}
