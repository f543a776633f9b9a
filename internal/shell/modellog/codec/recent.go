package codec

import "sync"

// recent keeps the last values that were made, by key.
type recent[K comparable, V any] struct {
	mutex sync.Mutex
	kept  map[K]V
	keys  []K // of what is kept, oldest first
}

// mostRecent is how many values are kept: a process has few specs at a time, but a test that runs
// many workers has hundreds.
const mostRecent = 256

// get returns the value of a key, which is made unless it is kept. An error is not kept.
func (r *recent[K, V]) get(key K, make func() (V, error)) (V, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if value, ok := r.kept[key]; ok {
		return value, nil
	}
	value, err := make()
	if err != nil {
		return value, err
	}
	if r.kept == nil {
		r.kept = map[K]V{}
	}
	if len(r.keys) == mostRecent {
		delete(r.kept, r.keys[0])
		r.keys = append(r.keys[:0], r.keys[1:]...)
	}
	r.kept[key] = value
	r.keys = append(r.keys, key)
	return value, nil
}
