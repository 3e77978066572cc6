package fakemodel_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

func TestModels(t *testing.T) {
	data := func(id string) string {
		return `{"id":"` + id + `","object":"model","created":1,"owned_by":"fakemodel","type":"model","display_name":"` + id + `"}`
	}
	models := func(id string) string {
		return `{"name":"models/` + id + `","displayName":"` + id + `","supportedGenerationMethods":["generateContent","countTokens"]}`
	}
	tests := []struct {
		name, agent string
		models      []string
		want        string
	}{
		{"default", "", nil, `"data":[` + data("fake-model") + `],"models":[` + models("fake-model") + `]`},
		{"given", "gemini", []string{"a", "b"}, `"data":[` + data("a") + `,` + data("b") + `],"models":[` + models("a") + `,` + models("b") + `]`},
		{"for codex", "Codex_cli_rs/1", nil, `"data":[` + data("fake-model") + `]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := fakemodel.New(&fakemodel.Options{Models: tt.models})
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/some/base/models?key=secret", http.NoBody)
			r.Header.Set("User-Agent", tt.agent)
			w := httptest.NewRecorder()
			model.ServeHTTP(w, r)
			assert.Equal(t, http.StatusOK, w.Code)
			assert.JSONEq(t, `{"object":"list","has_more":false,`+tt.want+`}`, w.Body.String())
		})
	}
}

func TestCountTokens(t *testing.T) {
	tests := []struct{ path, body, model, want string }{
		{"/v1/messages/count_tokens?beta=true", `{"model":"m","messages":[{"role":"user","content":"@@ERR@@"}]}`, "m", `{"input_tokens":1234}`},
		{"/v1beta/models/m:countTokens", `{"contents":[{"parts":[{"text":"@@ERR@@"}]}]}`, "m", `{"totalTokens":1234}`},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			model, server := serve(t, nil)
			res := postTo(t, server, tt.path, tt.body)
			assert.Equal(t, http.StatusOK, res.status)
			assert.JSONEq(t, tt.want, res.body)
			c := model.Calls()[0]
			assert.Equal(t, fakemodel.APITokens, c.API)
			assert.Equal(t, tt.model, c.Model)
			assert.Equal(t, "@@ERR@@", c.LastUser)
			assert.Empty(t, c.Kind)
		})
	}
}
