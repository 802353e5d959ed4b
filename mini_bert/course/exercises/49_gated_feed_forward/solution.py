"""GeGLU: a feed-forward network in which one half opens and closes the other."""

from mini_bert.core.functions.activations import gelu, gelu_backward


def geglu(x, W_gate, W_up, W_down):
    """y = (gelu(x Wgᵀ) ⊙ x Wuᵀ) Wdᵀ          x (..., H), Wg and Wu (I, H), Wd (H, I) → y (..., H), and what is kept"""
    # gap: compute pre = x Wgᵀ and content = x Wuᵀ; `gelu(pre)` gives two results, the opening and Φ(pre)
    pre, content = x @ W_gate.T, x @ W_up.T
    opening, cdf = gelu(pre)
    y = (opening * content) @ W_down.T
    # end of gap
    return y, (pre, cdf, opening, content)


def geglu_backward(dy, x, kept, W_gate, W_up, W_down):
    """dhidden = dy Wd;   dopening = dhidden ⊙ content,  dcontent = dhidden ⊙ opening          → dx, dWg, dWu, dWd"""
    pre, cdf, opening, content = kept
    # gap: `gelu_backward(dopening, pre, cdf)` gives dpre; x was read twice, so its gradient has two parts
    dhidden = dy @ W_down
    dopening, dcontent = dhidden * content, dhidden * opening
    dpre = gelu_backward(dopening, pre, cdf)
    dx = dpre @ W_gate + dcontent @ W_up
    return dx, over_tokens(dpre, x), over_tokens(dcontent, x), over_tokens(dy, opening * content)
    # end of gap


def over_tokens(dy, x):
    """dW = Σ dyᵀ x over all tokens          dy (..., O), x (..., I) → (O, I)"""
    return dy.reshape(-1, dy.shape[-1]).T @ x.reshape(-1, x.shape[-1])
