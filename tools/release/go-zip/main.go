// Writes what a Go proxy serves of a version of a module, by the go command's own code:
//
//	go run . <folder of the module> <version> <time> <folder of the proxy>
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if err := write(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

func write(folder, version, time, proxy string) error {
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	released := module.Version{Path: modfile.ModulePath(mod), Version: version}
	path, err := module.EscapePath(released.Path)
	if err != nil {
		return err
	}
	versions := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(versions, version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(archive, released, folder); err != nil {
		return fmt.Errorf("%s: %w", released, err)
	}
	if err := archive.Close(); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": time})
	if err != nil {
		return err
	}
	files := map[string][]byte{version + ".mod": mod, version + ".info": info, "list": []byte(version + "\n")}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(versions, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
