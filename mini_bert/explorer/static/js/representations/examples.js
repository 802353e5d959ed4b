// Sentences to begin with: each set makes something visible.

export const SETS = [
  { name: "one word, two meanings", texts: null }, // those of the program, if none are asked for
  {
    name: "people, animals, places",
    texts: [
      "The doctor helped the old woman.",
      "The teacher spoke to the children.",
      "The dog chased the cat.",
      "A horse stood beside the cow.",
      "They travelled from London to Paris.",
      "Her family lives in Germany.",
      "The king and the queen sat down.",
      "Birds and fish live in the wild.",
    ],
  },
  {
    name: "one verb, many forms",
    texts: [
      "I see the house.",
      "She sees the house.",
      "He saw the house.",
      "We have seen the house.",
      "They are seeing the house.",
      "I go home.",
      "She goes home.",
      "He went home.",
      "We have gone home.",
    ],
  },
];

export const MOST_TEXTS = 20;

/** The sentences that the reader wrote, one on a line; undefined if there are none of that kind. */
export function textsOf(state) {
  const lines = state["representations.texts"]?.split("\n");
  return lines?.map((line) => line.trim()).filter(Boolean).slice(0, MOST_TEXTS);
}
