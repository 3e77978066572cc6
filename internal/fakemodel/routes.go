package fakemodel

import (
	"fmt"
	"net/http"
	"strings"
)

// ServeHTTP answers one request and enters it into the journal.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		s.servePost(w, r)
	case http.MethodHead:
		// Some agents look whether anybody is there before they ask.
		s.journal.add(call(r, APIUnknown, http.StatusOK))
		w.WriteHeader(http.StatusOK)
	default:
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") {
			s.serveModels(w, r)
			return
		}
		s.serveUnknown(w, r)
	}
}

func (s *Server) servePost(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		s.answer(w, r, chatAPI())
	case strings.HasSuffix(path, "/responses"):
		s.answer(w, r, responsesAPI())
	case strings.HasSuffix(path, "/messages"):
		s.answer(w, r, anthropicAPI())
	case strings.HasSuffix(path, "/messages/count_tokens"):
		s.count(w, r, anthropicAPI(), "input_tokens")
	default:
		model, method := geminiPath(path)
		switch method {
		case "generateContent":
			s.answer(w, r, geminiAPI(model, geminiWhole))
		case "streamGenerateContent":
			form := geminiArray
			if r.URL.Query().Get("alt") == "sse" {
				form = geminiEvents
			}
			s.answer(w, r, geminiAPI(model, form))
		case "countTokens":
			s.count(w, r, geminiAPI(model, geminiWhole), "totalTokens")
		default:
			s.serveUnknown(w, r)
		}
	}
}

func (s *Server) serveUnknown(w http.ResponseWriter, r *http.Request) {
	s.journal.add(call(r, APIUnknown, http.StatusNotFound))
	failOpenAI(w, http.StatusNotFound, fmt.Sprintf("the fake model has no %s %s", r.Method, r.URL.Path))
}

// count answers how many tokens a request has: as many as every reply says it
// had. member is the name of the number.
func (s *Server) count(w http.ResponseWriter, r *http.Request, a api, member string) {
	a.name = APITokens
	req, _, err := s.read(w, r, a)
	if err != nil {
		return
	}
	s.journal.add(call(r, a.name, http.StatusOK).about(req))
	writeJSON(w, http.StatusOK, map[string]int{member: usagePrompt})
}

// call begins a journal entry.
func call(r *http.Request, api string, status int) Call {
	return Call{Method: r.Method, Path: r.URL.Path, UserAgent: r.UserAgent(), API: api, Status: status}
}
