import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.distillation import soft_cross_entropy
from mini_bert.core.functions.softmax import softmax
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner


def check(learner: Learner) -> None:
    student, teacher, tau = judge.example(2, 3, seed=1), judge.example(2, 3, seed=2), 5.0
    learner.begin("soften: shape and dtype")
    judge.shape(learner.soften(student, tau), student.shape)
    judge.dtype(learner.soften(np.float32(student), tau), np.float32)
    learner.begin("soften: numbers")
    one = np.log(np.array([[16.0, 4.0, 1.0]]))
    judge.close(
        learner.soften(one, 2.0),
        np.array([[4.0, 2.0, 1.0]]) / 7,
        mistakes={
            "the temperature is not used": np.array([[16.0, 4.0, 1.0]]) / 21,
            "the logits are multiplied by the temperature; divide": np.array([[256.0, 16.0, 1.0]]) / 273,
            "this is the logarithm; take np.exp": lambda: np.log(np.array([[4.0, 2.0, 1.0]]) / 7),
            "softmax is divided by the temperature; divide the logits": np.array([[16.0, 4.0, 1.0]]) / 42,
        },
    )

    learner.begin("distillation_loss: one number")
    judge.shape(
        learner.distillation_loss(student, teacher, tau),
        (),
        mistakes={
            "each place has a loss of its own; take the mean over places": (2,),
            "each word has a number of its own; sum over words, then take the mean over places": (2, 3),
        },
    )
    learner.begin("distillation_loss: 0 if the student says what its teacher says")
    same = judge.array(learner.distillation_loss(teacher, teacher, tau))
    p, q = softmax(teacher / tau), softmax(student / tau)
    entropy = -(p * np.log(p)).sum(-1)
    judge.holds(
        abs(same) < 1e-9,
        f"distillation_loss(x, x, 5) is {float(same):.6g}, expected 0.",
        input={"x": teacher},
        mistake="this is the cross-entropy, −Σ p ln q; subtract the teacher's own, −Σ p ln p"
        if np.isclose(same, tau**2 * entropy.mean())
        else None,
    )
    learner.begin("distillation_loss: numbers")
    want = loss(student, teacher, tau)
    judge.close(
        learner.distillation_loss(student, teacher, tau),
        want,
        mistakes={
            "the factor τ² is missing": want / tau**2,
            "the factor is τ; take τ²": want / tau,
            "the sum over places is taken; take the mean": want * 2,
            "the mean over words is taken; take their sum": want / 3,
            "teacher and student are exchanged: the teacher's p stands in front": loss(teacher, student, tau),
            "the student's q stands in front; it is the teacher's p": lambda: (
                tau**2 * (q * (np.log(p) - np.log(q))).sum(-1).mean()
            ),
            "the temperature is not used in the softmax": lambda: tau**2 * loss(student, teacher, 1.0),
            "the student's logits are not divided by the temperature": lambda: loss(
                student * tau, teacher, tau
            ),
            "the teacher's logits are not divided by the temperature": lambda: loss(
                student, teacher * tau, tau
            ),
        },
    )
    judge.dtype(learner.distillation_loss(np.float32(student), np.float32(teacher), tau), np.float32)
    learner.begin("distillation_loss: logits far apart")
    far, other = np.array([[0.0, 2000.0, -2000.0]]), np.array([[0.0, -2000.0, 0.0]])
    judge.close(
        learner.distillation_loss(far, other, 1.0),
        2000 + 1000 - np.log(2),
        mistakes={
            "the logarithm of a 0 was taken: use log_softmax for ln p and ln q": np.nan,
            "the logarithm of a 0 was taken: use log_softmax for ln q": np.inf,
        },
    )

    learner.begin("distillation_backward: shape and dtype")
    judge.shape(learner.distillation_backward(student, teacher, tau), student.shape)
    judge.dtype(learner.distillation_backward(np.float32(student), np.float32(teacher), tau), np.float32)
    learner.begin("distillation_backward: the slope that is measured")
    right = tau * (q - p) / 2
    judge.gradient(
        learner.distillation_backward(student, teacher, tau),
        lambda s: loss(s, teacher, tau),
        student,
        np.array(1.0),
        mistakes={
            "the factor is τ²; logits / τ takes one τ away": lambda: right * tau,
            "the factor τ is missing": lambda: right / tau,
            "the factor is 1/τ; τ² times 1/τ is τ": lambda: right / tau**2,
            "the sum over places is taken; the loss is their mean": lambda: right * 2,
            "the sign is the other way round: it is q − p": lambda: -right,
            "the temperature is not used in the softmax": lambda: (
                tau * (softmax(student) - softmax(teacher)) / 2
            ),
            "the hard label is taken, the teacher's best word; take all of p": lambda: (
                tau * (q - np.eye(3)[teacher.argmax(-1)]) / 2
            ),
        },
    )
    learner.begin("distillation_backward: each place sums to 0; equal logits; gaps in memory")
    found = judge.array(learner.distillation_backward(student, teacher, 5.0))
    judge.holds(
        np.allclose(found.sum(-1), 0),
        "the gradients of a place should sum to 0, as only differences count.",
        found,
    )
    shifted = judge.array(learner.distillation_backward(teacher + 3, teacher, tau))
    judge.holds(
        np.allclose(shifted, 0, atol=1e-12),
        "logits that are all 3 larger are the same probabilities: expected no gradient.",
        shifted,
    )
    more, others = judge.example(4, 5, seed=3), judge.example(4, 5, seed=4)
    judge.close(
        learner.distillation_backward(judge.not_contiguous(more), judge.not_contiguous(others), 3.0),
        3.0 * (softmax(more / 3) - softmax(others / 3)) / 4,
    )
    judge.close(learner.distillation_loss(more, others, 3.0), loss(more, others, 3.0))


def loss(student: Array, teacher: Array, tau: float) -> Array:
    places = len(student)
    return soft_cross_entropy(student, teacher, np.full(places, 1 / places), tau)[0]
