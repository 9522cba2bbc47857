/** One instruction of a Dockerfile, with lines joined; `text` is what follows its name. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly name: string;
  /** Another stage, or an image. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** What the run script carries out; another instruction is an error, so that none is passed over. */
const KNOWN = ["WORKDIR", "ENV", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "CMD"];

export function parseDockerfile(source: string): Stage[] {
  const lines = source
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = "", text = ""] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    const stage = stages.at(-1);
    if (name === "FROM") {
      const [, from = "", as = ""] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
      stages.push({ name: as, from, instructions: [] });
    } else if (stage === undefined || !KNOWN.includes(name)) {
      throw new Error(`The Dockerfile has a line that the test cannot carry out: ${line}`);
    } else stage.instructions.push({ name, text });
  }
  return stages;
}

/** Of the last stage and those that it is from: the last value of an instruction. */
export function settingOf(stages: readonly Stage[], name: string): string {
  const last = chainOf(stages, stages.at(-1))
    .flatMap(({ instructions }) => instructions)
    .findLast((instruction) => instruction.name === name);
  if (last === undefined) throw new Error(`The Dockerfile has no ${name}`);
  return last.text;
}

/** A stage and those that it is from, the base first. */
export function chainOf(stages: readonly Stage[], stage: Stage | undefined): Stage[] {
  if (stage === undefined) return [];
  return [
    ...chainOf(
      stages,
      stages.find(({ name }) => name === stage.from),
    ),
    stage,
  ];
}

export function environmentOf(stages: readonly Stage[], stage: Stage | undefined): Record<string, string> {
  const env = chainOf(stages, stage).flatMap(({ instructions }) =>
    instructions.filter(({ name }) => name === "ENV").flatMap(({ text }) => text.split(/\s+/)),
  );
  return Object.fromEntries(env.map((pair) => pair.split(/=(.*)/).slice(0, 2)));
}
