package main

import (
	"strings"
	"testing"
	"time"
)

func TestLogPoint(t *testing.T) {
	local := func(year int, month time.Month, day, hour, minute int) time.Time {
		return time.Date(year, month, day, hour, minute, 0, 0, time.Local)
	}
	for text, want := range map[string]logPoint{
		"0":                         {},
		"1234":                      {offset: 1234},
		"2026-11-22T10:30:00Z":      {at: time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC)},
		"2026-11-22T10:30:00+02:00": {at: time.Date(2026, 11, 22, 8, 30, 0, 0, time.UTC)},
		"2026-11-22 10:30":          {at: local(2026, 11, 22, 10, 30)},
		"2026-11-22T10:30:00":       {at: local(2026, 11, 22, 10, 30)},
		"2026-11-22":                {at: local(2026, 11, 22, 0, 0)},
	} {
		var got logPoint
		if err := got.UnmarshalText([]byte(text)); err != nil || got.offset != want.offset || !got.at.Equal(want.at) || !got.isSet() {
			t.Errorf("%q is %+v, %v, want %+v", text, got, err, want)
		}
	}
	var ago logPoint
	if err := ago.UnmarshalText([]byte("2h")); err != nil || time.Since(ago.at).Round(time.Minute) != 2*time.Hour {
		t.Errorf("2h is %+v, %v, want two hours ago", ago, err)
	}
	for _, text := range []string{"", "-1", "yesterday", "-2h", "2026-13-01", "10:30"} {
		var p logPoint
		if err := p.UnmarshalText([]byte(text)); err == nil || strings.Contains(err.Error(), "parsing") {
			t.Errorf("%q: error %v, want a sentence", text, err)
		}
	}
}
