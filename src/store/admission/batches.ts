/**
 * Questions asked together, at most. More of them save little, and whoever asks waits for them all: with few enough the
 * server works on one batch while this process gathers the next.
 */
const QUESTIONS_MAX = 8;

interface Batch<Question, Answer> {
  readonly questions: Question[];
  readonly answers: Promise<readonly Answer[]>;
  send(): void;
}

/**
 * Gathers the questions of one turn of the event loop, which Node spends reading the requests that have arrived: asked
 * together they share the way to a server and back, most of what each would cost. None waits for another turn, and none
 * is given an answer that was begun before it was asked.
 *
 * Questions are batched by `group`, of which there must not be many. `ask` answers each of them, in their order, or fails
 * for the whole batch.
 */
export function createBatches<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (group: string, question: Question) => Promise<Answer> {
  /** Of each group that was ever asked: a map that is emptied again and again makes itself a new table each time. */
  const gathering = new Map<string, Batch<Question, Answer> | undefined>();

  function begin(group: string): Batch<Question, Answer> {
    const questions: Question[] = [];
    const { promise: answers, resolve } = Promise.withResolvers<readonly Answer[]>();
    const send = (): void => {
      gathering.set(group, undefined);
      clearImmediate(endOfTurn);
      resolve(ask(questions));
    };
    const endOfTurn = setImmediate(send);
    const batch = { questions, answers, send };
    gathering.set(group, batch);
    return batch;
  }

  return (group, question) => {
    const batch = gathering.get(group) ?? begin(group);
    const n = batch.questions.push(question) - 1;
    if (batch.questions.length >= QUESTIONS_MAX) batch.send();
    return batch.answers.then((answers) => answers[n] as Answer);
  };
}
