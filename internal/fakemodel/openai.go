package fakemodel

import (
	"fmt"
	"net/http"
)

// created is the time stamp of everything, so that answers are the same every
// time.
const created = 1

// failOpenAI writes an error in the form of OpenAI, which also serves requests
// that belong to no API.
func failOpenAI(w http.ResponseWriter, status int, message string) {
	type details struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    string `json:"code"`
	}
	writeJSON(w, status, struct {
		Error details `json:"error"`
	}{details{message, "fake_error", fmt.Sprintf("fake_%d", status)}})
}
