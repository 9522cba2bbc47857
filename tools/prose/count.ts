import { TESTS, type Weight } from "../weight/count.ts";
import { isGenerated, repositoryFiles, textOf } from "../weight/files.ts";
import { findingsIn, isLong } from "./patterns.ts";
import { comments, commentsAndStrings, prose, sentences, type Text, titles } from "./texts.ts";

export interface Finding {
  readonly group: string;
  readonly path: string;
  readonly line: number;
  readonly found: string;
}

interface Group {
  readonly files: RegExp;
  readonly read: (path: string, source: string) => Text[];
}

const GROUPS: Readonly<Record<string, Group>> = {
  docs: { files: /\.md$/, read: prose },
  protos: { files: /^(?:proto|internal)\/.*\.proto$/, read: comments },
  src: { files: /^src\/.*\.ts$/, read: commentsAndStrings },
  console: { files: /^console\/.*\.tsx?$/, read: commentsAndStrings },
  clients: { files: /^clients\/.*\.(?:ts|go|py|swift)$/, read: commentsAndStrings },
  "test titles": { files: /\.test\.tsx?$/, read: titles },
};
const LONG = "docs, sentences over 35 words";

/** Every finding of the repository, by group. */
export function findProse(): Finding[] {
  const paths = repositoryFiles().filter((path) => !isGenerated(path));
  return Object.entries(GROUPS).flatMap(([group, { files, read }]) =>
    paths
      .filter((path) => files.test(path) && (group === "test titles" || !TESTS.test(path)))
      .flatMap((path) => read(path, textOf(path)).flatMap((text) => findingsOf(group, path, text))),
  );
}

function findingsOf(group: string, path: string, { index, row, text }: Text): Finding[] {
  const line = () => textOf(path).slice(0, index).split("\n").length + row;
  return sentences(text).flatMap((sentence) => [
    ...findingsIn(sentence).map((found) => ({ group, path, line: line(), found })),
    ...(group === "docs" && isLong(sentence) ? [{ group: LONG, path, line: line(), found: sentence }] : []),
  ]);
}

export function countProse(findings: readonly Finding[]): Weight {
  const groups = [...Object.keys(GROUPS), LONG];
  return Object.fromEntries(groups.map((name) => [name, findings.filter(({ group }) => group === name).length]));
}
