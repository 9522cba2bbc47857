/**
 * Questions asked together, at most. More of them save little, and whoever asks waits for them all: with few enough the
 * server works on one batch while this process gathers the next.
 */
const QUESTIONS_MAX = 8;

interface Batch<Question, Answer> {
  readonly questions: Question[];
  readonly waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (err: unknown) => void }[];
  /** Sends it at the end of the turn. */
  readonly end: NodeJS.Immediate;
}

/**
 * Gathers the questions of one turn of the event loop, which Node spends reading the requests that have arrived: asked
 * together they share the way to a server and back, most of what each would cost. None waits for another turn, and none
 * is given an answer that was begun before it was asked.
 *
 * Only questions of one `group` are asked together. `ask` answers all of them, in their order and each of them, or fails for all.
 */
export function createBatches<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (group: string, question: Question) => Promise<Answer> {
  const gathering = new Map<string, Batch<Question, Answer>>();

  function begin(group: string): Batch<Question, Answer> {
    const batch: Batch<Question, Answer> = { questions: [], waiting: [], end: setImmediate(() => send(group, batch)) };
    gathering.set(group, batch);
    return batch;
  }

  async function send(group: string, { questions, waiting }: Batch<Question, Answer>): Promise<void> {
    gathering.delete(group);
    try {
      const answers = await ask(questions);
      waiting.forEach(({ resolve }, n) => void resolve(answers[n] as Answer));
    } catch (err) {
      for (const { reject } of waiting) reject(err);
    }
  }

  return (group, question) =>
    new Promise((resolve, reject) => {
      const batch = gathering.get(group) ?? begin(group);
      batch.questions.push(question);
      batch.waiting.push({ resolve, reject });
      if (batch.questions.length < QUESTIONS_MAX) return;
      clearImmediate(batch.end);
      void send(group, batch);
    });
}
