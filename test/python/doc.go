// Package python tests what runs in Python: the client in clients/python, and the snippets of
// docs/recipes.md. Its tests have the build tag tools, and install what they need from PyPI.
package python
