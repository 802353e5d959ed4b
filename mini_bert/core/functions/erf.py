"""erf(x) = 2/√π ∫₀ˣ exp(−t²) dt

NumPy has no error function, and GELU needs one. Three fits cover the line, with z = x²:

    dtype     interval       form                                            error of the fit   of the result
    float32   |x| ≤ 3.88     x · (1/4 + P(z) / Q(z))                                   1.6e-8          2.4e-7
    float64   |x| < 1        x · N(z)                                                 7.3e-18         2.3e-16
    float64   1 ≤ |x| ≤ 6    ±(1 − exp(−z) F(t)),  t = (|x| − 3) / (|x| + 3)          3.6e-17         1.4e-16

Beyond the last interval erf is less than a step of that dtype from ±1, so x is clipped. Errors are relative and the
worst found: float64 against mpmath at 10⁵ points, float32 against float64 at every number from 2⁻¹⁴ to 4. The
coefficients are minimax, by Remez exchange on the relative error in mpmath with 40 to 50 digits, rounded to the dtype.

- 1/4 stands apart because erf(x)/x falls to 0.26 at 3.88: P/Q is small there, and so is its rounding error.
  P/Q alone fits as well but rounds to 5e-7, and above 1.
- F fits exp(z) erfc(x), which varies slowly, so the derivative keeps its relative accuracy where erf is flat:
  a complex step gives 2/√π exp(−z) to 1e-14 even at x = 5.5, where that is 8e-14.
- In float32 only +, · and / are used, so the result is the same on every machine. It is odd bit for bit and
  never above 1, but from one number to the next it may step down by 3e-7, as their errors differ.

Derived in docs/mathematical_background/erf.md.
"""

from collections.abc import Sequence

import numpy as np

from mini_bert.core.array import Array

BLOCK = 32_768  # elements at a time, so that the temporaries stay in cache: 3x faster than the whole array

# Highest power first, as Horner's rule reads them.
P = (-7.5299718e-6, -2.835632e-6, -3.3232138e-6, 0.024206292, 0.06375119, 0.87837917)
Q = (3.845208e-5, 0.0011524669, 0.014861283, 0.113537475, 0.5007826, 1.0)
N = (
    -7.779467484730134e-10, 1.371097981233394e-08, -1.6206313610721436e-07, 1.6447131550187659e-06,
    -1.492471230014132e-05, 0.00012055293576794632, -0.0008548325929310665, 0.005223977606118389,
    -0.026866170643111458, 0.11283791670944185, -0.3761263890318352, 1.1283791670955126,
)  # fmt: skip
F = (
    1.2644631502233745e-06, 2.006839455641488e-06, -8.006954594548105e-06, -1.2842913878364856e-05,
    6.40626509019817e-05, 4.525389677314423e-05, -0.0005970625133584995, 0.0007077465008397923,
    0.0042691363589099866, -0.02439249932021214, 0.07166583719741064, -0.15011593650075725,
    0.24560380171233548, -0.32623356004303733, 0.17900115118138996,
)  # fmt: skip


def erf(x: Array) -> Array:
    """erf(x) = 2/√π ∫₀ˣ exp(−t²) dt, elementwise, in the dtype of x (integers become float64).

    x has any shape. Complex x is for complex-step differentiation, with a tiny imaginary part.
    """
    x = np.asarray(x)
    single = x.dtype in (np.float32, np.float16)
    evaluate, working = (_erf_single, np.float32) if single else (_erf_double, np.result_type(x, np.float64))
    flat = x.ravel()
    y = np.empty(flat.shape, x.dtype if single else working)
    for start in range(0, flat.size, BLOCK):
        block = slice(start, start + BLOCK)
        y[block] = evaluate(flat[block].astype(working, copy=False))
    return y.reshape(x.shape)


def _erf_single(x: Array) -> Array:
    x = np.clip(x, -3.88, 3.88)
    z = x * x
    ratio = _polynomial(P, z)
    ratio /= _polynomial(Q, z)
    ratio += 0.25
    ratio *= x
    return ratio


def _erf_double(x: Array) -> Array:
    y = np.empty_like(x)
    tail = abs(x.real) >= 1  # false for nan, which a polynomial passes on without a warning
    near, far = np.flatnonzero(~tail), np.flatnonzero(tail)  # indices gather twice as fast as masks

    u = x[near]
    y[near] = u * _polynomial(N, u * u)

    u = x[far]
    negative = u.real < 0
    u = np.minimum(np.where(negative, -u, u), 6.0)  # complex numbers are ordered by their real part
    u = 1.0 - np.exp(-u * u) * _polynomial(F, (u - 3.0) / (u + 3.0))
    y[far] = np.where(negative, -u, u)
    return y


def _polynomial(coefficients: Sequence[float], z: Array) -> Array:
    """Σ cᵢ zⁿ⁻ⁱ  by Horner's rule, in one array"""
    first, *middle, last = coefficients
    y = z * first
    for c in middle:
        y += c
        y *= z
    y += last
    return y
