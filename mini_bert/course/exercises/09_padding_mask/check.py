import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner

MASK = np.array([[1, 1, 1], [1, 0, 0]])


def check(learner: Learner) -> None:
    scores = judge.example(2, 2, 3, 3, seed=1)
    learner.begin("hide_padding: shape")
    judge.shape(learner.hide_padding(scores, MASK), scores.shape)

    learner.begin("hide_padding: padded keys get no share")
    given = {"scores[1, 0]": scores[1, 0], "mask": MASK}
    got = softmax(judge.array(learner.hide_padding(scores, MASK)))
    known = {told: lambda wrong=wrong: softmax(wrong) for told, wrong in wrong_answers(scores).items()}
    want = np.stack([softmax(scores[0]), np.repeat(np.array([[[1.0, 0, 0]]]), 2, 0).repeat(3, 1)])
    of = "softmax(hide_padding(scores, mask))"
    judge.close(got, want, of, given, known)
    judge.holds(
        (got[1, ..., 1:] == 0).all(), f"{of} is small at padded keys, expected exactly 0.", input=given
    )

    learner.begin("hide_padding: other numbers of queries and keys")
    scores = judge.example(2, 1, 2, 3, seed=2)
    real = softmax(scores[1, :, :, :1])
    got = softmax(judge.array(learner.hide_padding(scores, MASK)))
    judge.close(
        got[1, :, :, :1], real, f"{of} of the real tokens", {"scores[1]": scores[1], "mask[1]": MASK[1]}
    )

    learner.begin("hide_padding: real tokens share as if there were no padding")
    scores, mask = judge.example(1, 1, 2, 4, seed=3), np.array([[1, 1, 0, 1]])
    got = softmax(judge.array(learner.hide_padding(scores, mask)))
    judge.close(
        got[..., [0, 1, 3]], softmax(scores[..., [0, 1, 3]]), f"{of} of the real tokens", {"mask": mask}
    )

    learner.begin("hide_padding: large scores, and a row with nothing but padding")
    large = np.array([[[[100.0, 5000.0]]]])
    got = softmax(judge.array(learner.hide_padding(large, np.array([[1, 0]]))))
    judge.close(
        got,
        np.array([[[[1.0, 0.0]]]]),
        of,
        {"scores": large, "mask": [[1, 0]]},
        {"what is added is not low enough to hide a score of 5000; take −10⁹": np.array([[[[0.0, 1.0]]]])},
    )
    nothing = judge.array(learner.hide_padding(np.zeros((1, 1, 1, 2)), np.zeros((1, 2), int)))
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(softmax(nothing)).all()
    judge.holds(
        finite,
        f"{of} is not a number where all keys are padded.",
        nothing,
        mistake="−∞ in place of −10⁹: infinity minus infinity is no number",
    )

    learner.begin("hide_padding: float32 stays float32")
    single = np.zeros((2, 1, 3, 3), np.float32)
    judge.same_dtype(learner.hide_padding(single, MASK), single)

    learner.begin("real_tokens")
    ids = np.array([[2, 17, 3, 0], [2, 3, 0, 0]])
    want = np.array([[1, 1, 1, 0], [1, 1, 0, 0]])
    got = learner.real_tokens(ids)
    judge.dtype(got, np.int64)
    judge.close(got, want, mistakes={"ones and zeros are exchanged: 1 is for real tokens": 1 - want})
    judge.close(
        learner.real_tokens(ids, 17),
        np.array([[1, 0, 1, 1], [1, 1, 1, 1]]),
        mistakes={"padding_id is not used": want},
    )


def wrong_answers(scores: Array) -> dict[str, Array]:
    hidden = np.where(MASK, 0.0, -1e9)
    return {
        "the mask is the other way round: 1 is a real token, which stays": scores
        + np.where(MASK, -1e9, 0.0)[:, None, None, :],
        "queries are hidden; hide keys, along the last axis": scores + hidden[:, None, :, None],
        "the mask has met the wrong axes: the two of (B, Tk) belong to the first and the last": scores
        + hidden[:, None, :],
        "the scores are multiplied by the mask; a score of 0 still gets a share": scores
        * MASK[:, None, None, :],
        "the mask is not used": scores,
        "every text has got the mask of the first one": scores + hidden[0],
        "every text has got the mask of the last one": scores + hidden[-1],
    }
