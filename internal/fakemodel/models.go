package fakemodel

import (
	"net/http"
	"strings"
)

// modelList is the list in the form of OpenAI, with what readers of Anthropic
// and Gemini look for beside it.
type modelList struct {
	Object  string        `json:"object"`
	Data    []model       `json:"data"`
	HasMore bool          `json:"has_more"`
	Models  []geminiModel `json:"models,omitempty"`
}

type model struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int    `json:"created"`
	OwnedBy     string `json:"owned_by"`
	Type        string `json:"type"`
	DisplayName string `json:"display_name"`
}

type geminiModel struct {
	Name        string   `json:"name"`
	DisplayName string   `json:"displayName"`
	Methods     []string `json:"supportedGenerationMethods"`
}

// serveModels lists the models.
func (s *Server) serveModels(w http.ResponseWriter, r *http.Request) {
	s.journal.add(call(r, APIModels, http.StatusOK))
	// codex reads a member "models" strictly, in a form of its own; without
	// one it goes by what it knows itself.
	codex := strings.Contains(strings.ToLower(r.UserAgent()), "codex")
	list := modelList{Object: "list"}
	for _, id := range s.models {
		list.Data = append(list.Data, model{
			ID: id, Object: "model", Created: created, OwnedBy: "fakemodel", Type: "model", DisplayName: id,
		})
		if !codex {
			list.Models = append(list.Models, geminiModel{
				Name: "models/" + id, DisplayName: id,
				Methods: []string{"generateContent", "countTokens"},
			})
		}
	}
	writeJSON(w, http.StatusOK, list)
}
