package latchkey

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// builtInScopes are the scopes of every Latchkey. A test compares them with those of the service.
var builtInScopes = []string{
	"conversations:read",
	"conversations:write",
	"plans:read",
	"plans:write",
	"users:read",
	"users:impersonate",
	"billing:read",
	"billing:write",
	"invoices:read",
	"invoices:write",
	"api_keys:read",
	"api_keys:write",
	"webhooks:read",
	"webhooks:write",
	"tenants:read",
	"tenants:write",
	"system:read",
	"system:write",
	"org:read",
	"org:write",
	"audit:read",
	"usage:read",
	"api_keys:admin",
}

// A scope that can be asked for, as Latchkey accepts it in its SCOPES_FILE. No wildcard has this form.
var scopeForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,62}:[a-z][a-z0-9_-]{0,62}$`)

// editsMax is by how many characters a misspelt scope may differ from the one that was meant.
const editsMax = 3

// checkOwnScopes returns an error for what no SCOPES_FILE could have.
func checkOwnScopes(scopes []string) error {
	for _, scope := range scopes {
		if !scopeForm.MatchString(scope) {
			return fmt.Errorf(`WithOwnScopes: %q must be one "domain:action", such as "reports:read"`, scope)
		}
	}
	return nil
}

// checkScope returns an error for a scope that a guard could only be refused with.
func checkScope(scope string, own []string) error {
	if !scopeForm.MatchString(scope) {
		return fmt.Errorf(`%q is not a scope; it must be one "domain:action", such as "plans:read"`, scope)
	}
	known := slices.Concat(builtInScopes, own)
	if slices.Contains(known, scope) {
		return nil
	}
	hint := ";"
	if meant := nearestScope(scope, known); meant != "" {
		hint = fmt.Sprintf("; did you mean %q? If not,", meant)
	}
	return fmt.Errorf("%q is not a known scope%s name the scopes of Latchkey's SCOPES_FILE in WithOwnScopes", scope, hint)
}

// nearestScope returns the known scope with the fewest edits from a misspelt one; "" if none is near.
func nearestScope(scope string, known []string) string {
	nearest, least := "", editsMax+1
	for _, candidate := range known {
		// Only its own name means the scope that sets the rules for others.
		if edits := editDistance(scope, candidate); edits < least && !strings.HasSuffix(candidate, ":admin") {
			nearest, least = candidate, edits
		}
	}
	return nearest
}

// editDistance is Levenshtein's, one row at a time.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitution := diagonal
			if a[i] != b[j] {
				substitution++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, substitution)
		}
	}
	return row[len(b)]
}
