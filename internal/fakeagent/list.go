package fakeagent

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"
)

const defaultPageSize = 50

// listSessions answers a page of the saved sessions, the latest first.
func (s *server) listSessions(ctx context.Context, req request) {
	var p struct {
		CWD    *string `json:"cwd"`
		Cursor *string `json:"cursor"`
	}
	if len(req.params) > 0 { // all of them are optional
		if e := decodeParams(req.params, &p); e != nil {
			s.refuse(ctx, req, e)
			return
		}
	}
	if p.CWD != nil && !isAbs(*p.CWD) {
		s.refuse(ctx, req, rpcErrorf(codeInvalidParams, "Invalid params: cwd must be an absolute path"))
		return
	}
	all, err := s.store.all()
	if err != nil {
		s.refuse(ctx, req, rpcErrorf(codeInternal, "Internal error: %v", err))
		return
	}
	if p.CWD != nil {
		all = slices.DeleteFunc(all, func(r record) bool { return r.CWD != *p.CWD })
	}
	slices.SortFunc(all, latestFirst)
	if p.Cursor != nil {
		last, ok := readCursor(*p.Cursor)
		if !ok {
			s.refuse(ctx, req, rpcErrorf(codeInvalidParams, "Invalid params: unknown cursor"))
			return
		}
		all = slices.DeleteFunc(all, func(r record) bool { return latestFirst(r, last) <= 0 })
	}
	s.respond(ctx, req, s.page(all))
}

func (s *server) page(all []record) object {
	size := s.script.PageSize
	if size == 0 {
		size = defaultPageSize
	}
	page := all[:min(size, len(all))]
	infos := make([]object, 0, len(page))
	for _, rec := range page {
		infos = append(infos, rec.info())
	}
	result := object{"sessions": infos}
	if len(page) < len(all) {
		result["nextCursor"] = cursorBehind(page[len(page)-1])
	}
	return result
}

func latestFirst(a, b record) int {
	return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.ID, b.ID))
}

// A cursor is the place of a page's last session, so that it holds when sessions come and go.
func cursorBehind(rec record) string {
	text := rec.UpdatedAt.Format(time.RFC3339Nano) + " " + rec.ID
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

func readCursor(cursor string) (record, bool) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return record{}, false
	}
	at, id, _ := strings.Cut(string(text), " ")
	updated, err := time.Parse(time.RFC3339Nano, at)
	return record{ID: id, UpdatedAt: updated}, err == nil
}
