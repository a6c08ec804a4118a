// @ts-check
// The marks that every vocabulary begins with, as in Python.
export const [PAD_ID, BOS_ID, EOS_ID] = [0, 1, 2];
