package loopback

// Address is address.
func Address(addr string) (string, error) { return address(addr) }
