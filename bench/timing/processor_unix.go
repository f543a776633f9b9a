//go:build unix

package timing

import "syscall"

// ProcessorSeconds returns the processor time that all threads of this process have used, in
// seconds.
func ProcessorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // RUSAGE_SELF and a valid address
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
