// Package page is the browser's side of the console: one page of HTML, its styles and its modules,
// kept in the binary as they were written. There is no build step, and the page asks for nothing
// but its own server.
//
//	GET /                   the page; it names its assets by their hash
//	GET /assets/HASH/NAME   a style, a module or the icon, for ever
//
// The folder static holds what is served. Its modules stand in js: api.js alone talks to the
// server, address.js alone reads the address, the pages are in js/pages and what several of them
// show is in js/parts. In lib is what others wrote, with its licence.
package page
