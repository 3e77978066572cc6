package proc_test

func unixChild(string, []string) int { return 99 }
