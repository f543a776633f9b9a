package timing

import "syscall"

// ProcessorSeconds returns the processor time that all threads of this process have used, in
// seconds.
func ProcessorSeconds() float64 {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err) // it has no error
	}
	var begun, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &begun, &ended, &kernel, &user); err != nil {
		panic(err) // this process and valid addresses
	}
	return ticks(kernel) + ticks(user)
}

// ticks returns the seconds of a span, which has units of 100 ns.
func ticks(t syscall.Filetime) float64 {
	return float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7
}
