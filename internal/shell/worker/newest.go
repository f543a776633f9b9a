package worker

import "container/list"

// Newest are the values that came last, by their keys, as many as fit into a bound. It is not safe
// for concurrent use.
type Newest[K comparable, V any] struct {
	Most int            // what all of them may take
	Size func(K, V) int // what one takes; nil: 1
	held int            // what they take
	at   map[K]*list.Element
	list list.List // of newest, the one that came first in front
}

type newest[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// Put sets the value of a key, and forgets the oldest beyond the bound.
func (n *Newest[K, V]) Put(key K, value V) {
	n.forget(n.at[key])
	size := 1
	if n.Size != nil {
		size = n.Size(key, value)
	}
	if n.at == nil {
		n.at = map[K]*list.Element{}
	}
	n.at[key] = n.list.PushBack(newest[K, V]{key, value, size})
	n.held += size
	for n.held > n.Most && n.list.Len() > 1 {
		n.forget(n.list.Front())
	}
}

func (n *Newest[K, V]) forget(e *list.Element) {
	if e != nil {
		old := n.list.Remove(e).(newest[K, V])
		n.held -= old.size
		delete(n.at, old.key)
	}
}

// Get returns the value of a key, as long as it is among the newest.
func (n *Newest[K, V]) Get(key K) (value V, ok bool) {
	if e := n.at[key]; e != nil {
		return e.Value.(newest[K, V]).value, true
	}
	return value, false
}

// All calls f with all of them, the oldest first.
func (n *Newest[K, V]) All(f func(K, V) bool) {
	for e := n.list.Front(); e != nil; e = e.Next() {
		if one := e.Value.(newest[K, V]); !f(one.key, one.value) {
			return
		}
	}
}
