// What the person has entered of the present question. It outlives a reload and an interruption:
// the same question, asked again, has the same digest.

const KEY = "peephole-operator-draft";

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

// The draft of a question. fresh: what it is before anything is entered.
export function draftOf(question, fresh) {
  const { digest, draft } = stored();
  return digest === question.digest ? { ...fresh, ...draft } : fresh;
}

export function saveDraft(question, draft) {
  localStorage.setItem(KEY, JSON.stringify({ digest: question.digest, draft }));
}
