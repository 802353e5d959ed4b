"""What LaTeX's names look like in a terminal."""

SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "sum": "Σ", "prod": "Π", "int": "∫", "partial": "∂", "nabla": "∇", "infty": "∞", "cdot": "·", "times": "×",
    "odot": "⊙", "otimes": "⊗", "oplus": "⊕", "circ": "∘", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
    "neq": "≠", "ne": "≠", "approx": "≈", "sim": "∼", "propto": "∝", "to": "→", "rightarrow": "→", "mapsto": "↦",
    "leftarrow": "←", "Rightarrow": "⇒", "in": "∈", "notin": "∉", "subset": "⊂", "cup": "∪", "cap": "∩",
    "forall": "∀", "exists": "∃", "top": "ᵀ", "ldots": "…", "dots": "…", "cdots": "⋯", "vdots": "⋮",
    "quad": "\u2003", "qquad": "\u2003\u2003", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
    "langle": "⟨", "rangle": "⟩", "mid": "|", "ell": "ℓ", "lVert": "‖", "rVert": "‖", "Vert": "‖", "lvert": "|",
    "rvert": "|", "ll": "≪", "gg": "≫", "equiv": "≡", "prime": "′", "thinspace": " ", "thickspace": " ",
}  # fmt: skip
WORDS = {
    "exp", "log", "ln", "max", "min", "sin", "cos", "tan", "tanh", "arg", "argmax", "argmin", "var", "mean", "det",
    "tr", "dim", "rank", "erf", "Pr",
}  # fmt: skip
PLAIN = {
    "text", "mathrm", "operatorname", "mathbf", "boldsymbol", "mathit", "mathcal", "textit", "textbf", "mathtt",
}  # fmt: skip
SILENT = {
    "left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "limits", "nolimits",
}  # fmt: skip
SPACES = {",": " ", ";": " ", ":": " ", "!": "", "|": "‖", " ": " "}
MARKS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "dot": "\u0307", "vec": "\u20d7"}
DOUBLE = {"R": "ℝ", "N": "ℕ", "Z": "ℤ", "E": "𝔼", "C": "ℂ", "1": "𝟙", "P": "ℙ"}
UP = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWᵀ′",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵀ′",
        strict=True,
    )
)
DOWN = dict(
    zip(
        "0123456789+-−=()aehijklmnoprstuvxβγρφχ",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        strict=True,
    )
)
