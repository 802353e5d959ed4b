"""The padding mask: nobody looks at what is not there."""

import numpy as np

INVISIBLE = -1e9


def hide_padding(scores, mask):
    """s_ij = s_ij where mask_j = 1, about −10⁹ where mask_j = 0

    scores (B, A, Tq, Tk), mask (B, Tk) of ones for real tokens and zeros for padding → (B, A, Tq, Tk)
    """
    # gap: give the mask the axes that it lacks, and make the score of every padded key so low that softmax gives it 0
    hidden = (1 - mask)[:, None, None, :] * INVISIBLE  # (B, 1, 1, Tk)
    return scores + hidden.astype(scores.dtype)
    # end of gap


def real_tokens(ids, padding_id=0):
    """mask = 1 where the id is not that of padding, else 0          ids (B, T) → (B, T), int64"""
    # gap: compare, and turn true and false into 1 and 0
    return (ids != padding_id).astype(np.int64)
    # end of gap
