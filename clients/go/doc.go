// Package latchkey is a client of Latchkey, the access layer of a multi-tenant platform, and a guard for services behind it.
//
// [New] makes a client with the credentials of one caller, [NewGuard] a guard for net/http. A call that was denied returns
// an error of which [DenialOf] gives the reason.
package latchkey
