import { createMemoryKeys } from "../harness/memory-keys.ts";
import { keyStoreSuite } from "./key-store.suite.ts";

keyStoreSuite("the memory of a test", async () => createMemoryKeys());
