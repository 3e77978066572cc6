package fakemodel

// SetBodyLimit lets a test meet the limit with a small body.
func (s *Server) SetBodyLimit(n int64) { s.limit = n }

// Split is split, as a slice.
func Split(text string) []string {
	var pieces []string
	for piece := range split(text) {
		pieces = append(pieces, piece)
	}
	return pieces
}
