/** Questions asked together, at most: Redis serves nobody else meanwhile. */
const QUESTIONS_MAX = 64;

interface Batch<Question, Answer> {
  readonly questions: Question[];
  readonly waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (err: unknown) => void }[];
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

  async function send(group: string, { questions, waiting }: Batch<Question, Answer>): Promise<void> {
    if (gathering.get(group)?.questions === questions) gathering.delete(group);
    try {
      const answers = await ask(questions);
      waiting.forEach(({ resolve }, n) => void resolve(answers[n] as Answer));
    } catch (err) {
      for (const { reject } of waiting) reject(err);
    }
  }

  function begin(group: string): Batch<Question, Answer> {
    const batch: Batch<Question, Answer> = { questions: [], waiting: [] };
    gathering.set(group, batch);
    setImmediate(send, group, batch);
    return batch;
  }

  return (group, question) =>
    new Promise((resolve, reject) => {
      const known = gathering.get(group);
      const batch = known !== undefined && known.questions.length < QUESTIONS_MAX ? known : begin(group);
      batch.questions.push(question);
      batch.waiting.push({ resolve, reject });
    });
}
