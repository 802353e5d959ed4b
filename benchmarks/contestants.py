"""What a user would run instead of Mini-BERT. Each function returns a closure that performs one optimizer step
on `micro` batches of B x T tokens and returns the last loss: same shape, same batches, same positions, float32,
dropout off, gradients clipped at 1. They are meant to be fast: speed them up if you can.
"""

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.batches import A, H, I, L, T, V, batches

Step = Callable[[], float]


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(H, 3 * H), nn.Linear(H, H)
        self.up, self.down = nn.Linear(H, I), nn.Linear(I, H)
        self.norm1, self.norm2 = nn.LayerNorm(H), nn.LayerNorm(H)

    def forward(self, x: Tensor) -> Tensor:
        B = x.shape[0]
        q, k, v = self.qkv(x).view(B, T, 3, A, H // A).permute(2, 0, 3, 1, 4)
        context = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(B, T, H)
        x = self.norm1(x + self.out(context))
        return self.norm2(x + self.down(F.relu(self.up(x))))


class TunedMiniBert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token, self.position = nn.Embedding(V, H), nn.Embedding(T, H)
        self.blocks = nn.ModuleList(Block() for _ in range(L))
        self.norm, self.head = nn.LayerNorm(H), nn.Linear(H, V)

    def forward(self, ids: Tensor, positions: Tensor) -> Tensor:
        x = self.token(ids) + self.position.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x.view(-1, H)[positions]))


def tuned_pytorch(B: int, micro: int) -> Step:
    """Eager PyTorch as an expert writes it: fused AdamW, SDPA, head on the masked positions only."""
    model = TunedMiniBert()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, fused=True)
    work = []
    for ids, positions, labels in batches(B, micro):
        flat = (positions + T * np.arange(B)[:, None]).ravel()
        work.append(tuple(torch.as_tensor(a) for a in (ids, flat, labels.ravel())))

    def step() -> float:
        optimizer.zero_grad()
        for ids, positions, labels in work:
            loss = F.cross_entropy(model(ids, positions), labels) / micro
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return step


def huggingface(B: int, micro: int) -> Step:
    """What most people run: BertForMaskedLM with labels, and AdamW."""
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(
        vocab_size=V,
        hidden_size=H,
        num_hidden_layers=L,
        num_attention_heads=A,
        intermediate_size=I,
        max_position_embeddings=T,
        hidden_act="relu",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model = BertForMaskedLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    work = []
    for ids, positions, labels in batches(B, micro):
        target = np.full((B, T), -100)
        np.put_along_axis(target, positions, labels, axis=1)
        work.append((torch.as_tensor(ids), torch.as_tensor(target)))

    def step() -> float:
        optimizer.zero_grad()
        for ids, target in work:
            loss = model(input_ids=ids, labels=target).loss / micro
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return step
