// Package store keeps the state of a worker in a bbolt file, so that a restart continues there
// instead of folding the whole log again. "bayestream train" writes the same file.
//
// The log is the journal and the file a checkpoint: changed rows and the position in the log are
// written in one transaction, so that the file is always the state after some record of the log.
// Later records are folded again; folding the same records gives the same counts.
//
// docs/store.md draws the buckets and their bytes. Every value ends in the CRC-32C of key and value,
// and the checkpoint holds the number of rows and the sums of their counts: bbolt's own check finds
// only some of the damage to data pages. Package pages checks the tree of pages when a file is
// opened, before bbolt, which trusts it, reads any of it.
//
// Caveats: bbolt locks the file, so that only one process can have it open for writing. A Store is
// not safe for concurrent writes; snapshots may run concurrently with a write.
package store

import (
	"errors"
	"fmt"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/store/pages"

	"go.etcd.io/bbolt"
)

// Verify opens the file and checks all of it.
func Verify(path string) error {
	s, err := OpenReadOnly(path, time.Second)
	if err != nil {
		return err
	}
	return errors.Join(s.Check(), s.Close())
}

// Check reads everything: the structure of the file, every checksum, the numbers of rows, the sums
// of the counts, and the invariants of the state. It must not run concurrently with Write.
func (s *Store) Check() error {
	_, err := s.check()
	return err
}

// check also returns the state, nil if nothing was written.
func (s *Store) check() (*fold.State, error) {
	// In this order: bbolt's own check fails on circles and on addresses outside of the file.
	for _, check := range []func(*bbolt.Tx) error{s.checkMetas, s.checkTree, checkPages, checkBeside} {
		if err := s.view(check); err != nil {
			return nil, fmt.Errorf("check %w", err)
		}
	}
	state, err := s.Load()
	if err != nil || state == nil || state.Model() == nil {
		return state, err
	}
	if err := checkModel(state.Model()); err != nil {
		return nil, fmt.Errorf("check %s: %w: %w", s.name, ErrDamaged, err)
	}
	return state, nil
}

// checkMetas checks the two pages that say where the tree of pages begins.
func (s *Store) checkMetas(tx *bbolt.Tx) error {
	if err := pages.CheckMetas(s.file, tx.DB().Info().PageSize); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// checkTree checks the tree of pages. It must come before bbolt reads any of them.
func (s *Store) checkTree(tx *bbolt.Tx) error {
	info, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("size of the file: %w", err)
	}
	if info.Size() < tx.Size() {
		return fmt.Errorf("%w: it has %d bytes of %d", ErrDamaged, info.Size(), tx.Size())
	}
	if err := pages.CheckTree(s.file, tx); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// checkPages runs bbolt's check, which also covers the free pages.
func checkPages(tx *bbolt.Tx) error {
	var first error
	for err := range tx.Check() {
		if first == nil {
			first = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return first
}

// checkBeside checks what is in the file beside a state: the digests of the files that were learned,
// and the schemas of records.
func checkBeside(tx *bbolt.Tx) error {
	_, err := readLearned(tx)
	_, other := readSchemas(tx)
	return errors.Join(err, other)
}

func checkModel(m *model.Model) error {
	for i, t := range m.Tables() {
		if err := t.Check(); err != nil {
			return fmt.Errorf("bucket %s: %w", tableBucket(m.Spec(), i), err)
		}
	}
	if c := m.Corrections(); c != nil {
		if err := c.Table.Check(); err != nil {
			return fmt.Errorf("bucket %s: %w", bucketCorr, err)
		}
	}
	return nil
}
