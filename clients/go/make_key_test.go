package latchkey

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"regexp"
	"testing"
)

// madeKeys are the vectors that the tests of all clients read.
type madeKeys struct {
	Made []struct {
		Random     string `json:"random"`
		Brand      string `json:"brand"`
		Key        string `json:"key"`
		SecretHash string `json:"secret_hash"`
		KeyPrefix  string `json:"key_prefix"`
	} `json:"made"`
	Letters []struct {
		Bytes   string `json:"bytes"`
		Letters string `json:"letters"`
	} `json:"letters"`
	RefusedBrands []string `json:"refused_brands"`
}

func readMadeKeys(t *testing.T) madeKeys {
	t.Helper()
	text, err := os.ReadFile("../vectors/made-keys.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors madeKeys
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Made) == 0 || len(vectors.Letters) == 0 || len(vectors.RefusedBrands) == 0 {
		t.Fatal("there are no vectors")
	}
	return vectors
}

func TestKeysAreMadeAsByAllClients(t *testing.T) {
	vectors := readMadeKeys(t)
	for _, vector := range vectors.Made {
		made, err := keyOf(vector.Random, vector.Brand)
		if err != nil || made != (MadeKey{vector.Key, vector.SecretHash, vector.KeyPrefix}) {
			t.Errorf("%s with the brand %q is %+v, %v", vector.Random, vector.Brand, made, err)
		}
	}
	for _, vector := range vectors.Letters {
		drawn, err := hex.DecodeString(vector.Bytes)
		if letters := string(keyLetters(drawn)); err != nil || letters != vector.Letters {
			t.Errorf("the letters of %s are %q, %v", vector.Bytes, letters, err)
		}
	}
}

func TestNoKeyHasABrandThatTheServiceRefuses(t *testing.T) {
	for _, brand := range readMadeKeys(t).RefusedBrands {
		// An empty brand means none.
		if made, err := MakeKey(brand); err == nil && brand != "" {
			t.Errorf("the brand %q is in %s", brand, made.KeyPrefix)
		}
	}
}

func TestEachKeyIsAnotherOne(t *testing.T) {
	seen := map[string]bool{}
	form := regexp.MustCompile(`^sk_(acme_)?[0-9A-Za-z]{36}$`)
	for _, brand := range []string{"", "acme"} {
		for range 100 {
			made, err := MakeKey(brand)
			if err != nil || !form.MatchString(made.Key) || seen[made.Key] {
				t.Fatalf("MakeKey(%q) is %q, %v", brand, made.Key, err)
			}
			seen[made.Key] = true
		}
	}
}
