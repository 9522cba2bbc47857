package latchkey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"regexp"
)

// MadeKey is a secret key that the service has never had.
type MadeKey struct {
	// Key is its full value, for the one program that uses it.
	Key string
	// SecretHash is its SHA-256 in hexadecimal digits, for CreateApiKeyRequest.
	SecretHash string
	// KeyPrefix is its first characters without the brand, for display, for CreateApiKeyRequest.
	KeyPrefix string
}

const (
	keyAlphabet       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyRandomChars    = 30
	keyDisplayedChars = 9
	keyChecksumChars  = 6
	// The largest multiple of 62 in a byte. Bytes from it on would favour the first letters.
	keyUnbiasedBelow = 248
)

var keyBrand = regexp.MustCompile(`^[a-z][a-z0-9]{1,15}$`)

// MakeKey makes a secret key, so that only you ever have it: create it by its hash, which is all that the service gets.
//
// A brand is your platform's name in the key, such as the service's KEY_BRAND: 2 to 16 of a-z and 0-9, a letter first. An empty
// one means none. MakeKey returns an error for a brand that no key can have.
func MakeKey(brand string) (MadeKey, error) {
	var random []byte
	for len(random) < keyRandomChars {
		var drawn [keyRandomChars]byte
		if _, err := rand.Read(drawn[:]); err != nil {
			return MadeKey{}, err
		}
		random = append(random, keyLetters(drawn[:])...)
	}
	return keyOf(string(random[:keyRandomChars]), brand)
}

// keyLetters are the letters of random bytes, each as likely as any other.
func keyLetters(drawn []byte) []byte {
	var letters []byte
	for _, each := range drawn {
		if each < keyUnbiasedBelow {
			letters = append(letters, keyAlphabet[int(each)%len(keyAlphabet)])
		}
	}
	return letters
}

// keyOf is the key with these 30 random letters.
func keyOf(random, brand string) (MadeKey, error) {
	body := "sk_" + random
	if brand != "" {
		if !keyBrand.MatchString(brand) {
			return MadeKey{}, errors.New("MakeKey: a brand must be 2 to 16 of a-z and 0-9, beginning with a letter")
		}
		body = "sk_" + brand + "_" + random
	}
	key := body + keyChecksum(body)
	sum := sha256.Sum256([]byte(key))
	return MadeKey{
		Key:        key,
		SecretHash: hex.EncodeToString(sum[:]),
		KeyPrefix:  "sk_" + random[:keyDisplayedChars],
	}, nil
}

func keyChecksum(body string) string {
	var digits [keyChecksumChars]byte
	rest := crc32.ChecksumIEEE([]byte(body))
	for place := len(digits) - 1; place >= 0; place-- {
		digits[place] = keyAlphabet[rest%uint32(len(keyAlphabet))]
		rest /= uint32(len(keyAlphabet))
	}
	return string(digits[:])
}
