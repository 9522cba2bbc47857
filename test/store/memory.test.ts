import { createMemoryKeys } from "../harness/memory-keys.ts";
import { createMemoryOrgs } from "../harness/memory-orgs.ts";
import { keyListSuite } from "./key-list.suite.ts";
import { keyStoreSuite } from "./key-store.suite.ts";
import { keyUsageSuite } from "./key-usage.suite.ts";
import { orgStoreSuite } from "./org-store.suite.ts";
import { NOW } from "./records.ts";

keyStoreSuite("the memory of a test", async () => createMemoryKeys());
keyListSuite("the memory of a test", async () => createMemoryKeys());
keyUsageSuite("the memory of a test", async () => createMemoryKeys());
orgStoreSuite("memory", async () => createMemoryOrgs(() => NOW));
