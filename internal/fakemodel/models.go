package fakemodel

import "net/http"

type modelList struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int    `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// serveModels lists the models in the form of OpenAI.
func (s *Server) serveModels(w http.ResponseWriter, r *http.Request) {
	s.journal.add(call(r, APIModels, http.StatusOK))
	list := modelList{Object: "list"}
	for _, id := range s.models {
		list.Data = append(list.Data, model{ID: id, Object: "model", Created: created, OwnedBy: "fakemodel"})
	}
	writeJSON(w, http.StatusOK, list)
}
