# SPDX-License-Identifier: LGPL-2.1-or-later
"""The models of the comparison in PyTorch, with random weights of a fixed seed, in the table MODELS."""

import dataclasses
import math
from typing import Callable

import torch
from torch import nn
from torch.nn import functional as F

from stored import POSITION


class ConvNorm(nn.Sequential):
    """A convolution, its batch norm, and what follows."""

    def __init__(self, inputs, outputs, size=3, stride=1, groups=1, activation=None):
        super().__init__(nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(outputs), *([activation] if activation else []))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.first = ConvNorm(inputs, width, 1)
        self.second = ConvNorm(width, width, 3, stride)
        self.third = ConvNorm(width, 4 * width, 1)
        self.shortcut = ConvNorm(inputs, 4 * width, 1, stride) if stride != 1 or inputs != 4 * width else None

    def forward(self, x):
        y = self.third(F.relu(self.second(F.relu(self.first(x)))))
        return F.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, inputs, blocks = ConvNorm(3, 64, 7, 2), 64, []
        for stage, n_blocks in enumerate((3, 4, 6, 3)):
            for number in range(n_blocks):
                blocks.append(Bottleneck(inputs, 64 << stage, 2 if stage > 0 and number == 0 else 1))
                inputs = 256 << stage
        self.blocks, self.head = nn.ModuleList(blocks), nn.Linear(2048, 1000)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.stem(x)), 3, 2, 1)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))


class Inverted(nn.Module):
    """MobileNetV2's block: wider, depthwise, narrow again."""

    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        width = inputs * expansion
        wider = [ConvNorm(inputs, width, 1, activation=nn.ReLU6())] if expansion != 1 else []
        self.body = nn.Sequential(*wider, ConvNorm(width, width, 3, stride, width, nn.ReLU6()),
                                  ConvNorm(width, outputs, 1))
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.residual else self.body(x)


class MobileNetV2(nn.Module):
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self):
        super().__init__()
        layers, inputs = [ConvNorm(3, 32, 3, 2, activation=nn.ReLU6())], 32
        for expansion, outputs, n_blocks, stride in self.stages:
            for number in range(n_blocks):
                layers.append(Inverted(inputs, outputs, stride if number == 0 else 1, expansion))
                inputs = outputs
        self.layers = nn.Sequential(*layers, ConvNorm(320, 1280, 1, activation=nn.ReLU6()))
        self.head = nn.Linear(1280, 1000)

    def forward(self, x):
        return self.head(self.layers(x).mean((2, 3)))


class UNet(nn.Module):
    """Four levels of 32 to 256 features."""

    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()

        def pair(inputs, outputs):
            return nn.Sequential(ConvNorm(inputs, outputs, activation=nn.SiLU()),
                                 ConvNorm(outputs, outputs, activation=nn.SiLU()))
        self.down = nn.ModuleList(pair(i, o) for i, o in zip((3, *widths), widths))
        self.middle = nn.Sequential(ConvNorm(widths[-1], 2 * widths[-1], activation=nn.SiLU()),
                                    ConvNorm(2 * widths[-1], widths[-1], activation=nn.SiLU()))
        rising = widths[::-1]
        self.larger = nn.ModuleList(nn.ConvTranspose2d(i, o, 2, 2) for i, o in zip((widths[-1], *rising), rising))
        self.up = nn.ModuleList(pair(2 * width, width) for width in rising)
        self.head = nn.Conv2d(widths[0], 4, 1)

    def forward(self, x):
        kept = []
        for level in self.down:
            x = level(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for larger, level, before in zip(self.larger, self.up, reversed(kept)):
            x = level(torch.cat([larger(x), before], 1))
        return self.head(x)


def split_heads(x, heads):
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).flatten(2)


class Block(nn.Module):
    """A transformer's block, with norms before its halves or behind them."""

    def __init__(self, width, heads, causal=False, norm_first=True, approximate='none'):
        super().__init__()
        self.heads, self.causal, self.norm_first, self.approximate = heads, causal, norm_first, approximate
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        q, k, v = (split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value))
        return self.out(join_heads(F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)))

    def hidden(self, x):
        return self.down(F.gelu(self.up(x), approximate=self.approximate))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attention(self.norm1(x))
            return x + self.hidden(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.hidden(x))


class Vit(nn.Module):
    def __init__(self, width=768):
        super().__init__()
        self.patch, self.token = nn.Conv2d(3, width, 16, 16), nn.Parameter(torch.randn(1, 1, width) * .02)
        self.positions = nn.Parameter(torch.randn(197, width) * .02)
        self.blocks = nn.Sequential(*(Block(width, 12) for _ in range(12)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.head(self.norm(self.blocks(x))[:, 0])


class Bert(nn.Module):
    """BERT-base, with a head of two answers for each token."""

    def __init__(self, layers=12):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(30522, 768), nn.Parameter(torch.randn(128, 768) * .02)
        self.norm, self.head = nn.LayerNorm(768), nn.Linear(768, 2)
        self.blocks = nn.Sequential(*(Block(768, 12, norm_first=False) for _ in range(layers)))

    def forward(self, tokens):
        return self.head(self.blocks(self.norm(self.tokens(tokens) + self.positions[:tokens.shape[1]])))


class Gpt2(nn.Module):
    """GPT-2 over a prompt: logits of the token behind it."""

    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(50257, 768), nn.Parameter(torch.randn(1024, 768) * .02)
        self.blocks = nn.Sequential(*(Block(768, 12, True, approximate='tanh') for _ in range(12)))
        self.norm = nn.LayerNorm(768)

    def forward(self, tokens):
        x = self.blocks(self.tokens(tokens) + self.positions[:tokens.shape[1]])
        return F.linear(self.norm(x)[:, -1], self.tokens.weight)


class Gpt2Decode(Gpt2):
    """One token of GPT-2 behind POSITION others, whose keys and values grow by it, as exports of models do that."""

    def forward(self, tokens, past):    # pylint: disable=arguments-differ
        x, grown = self.tokens(tokens) + self.positions[POSITION], []
        for layer, block in enumerate(self.blocks):
            h = block.norm1(x)
            q, k, v = (split_heads(part(h), 12) for part in (block.query, block.key, block.value))
            k, v = torch.cat([past[layer, 0], k], 2), torch.cat([past[layer, 1], v], 2)
            grown += [k, v]
            x = x + block.out(join_heads(F.scaled_dot_product_attention(q, k, v)))
            x = x + block.hidden(block.norm2(x))
        return (F.linear(self.norm(x)[:, -1], self.tokens.weight), *grown)


class WhisperEncoder(nn.Module):
    """Whisper base: 30 s of sound."""

    def __init__(self, width=512):
        super().__init__()
        self.first, self.second = nn.Conv1d(80, width, 3, padding=1), nn.Conv1d(width, width, 3, 2, 1)
        self.positions = nn.Parameter(torch.randn(1500, width) * .02)
        self.blocks, self.norm = nn.Sequential(*(Block(width, 8) for _ in range(6))), nn.LayerNorm(width)

    def forward(self, x):
        x = F.gelu(self.second(F.gelu(self.first(x)))).transpose(1, 2) + self.positions
        return self.norm(self.blocks(x))


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * self.weight


class LlamaBlock(nn.Module):
    """With fewer heads of keys than of queries, and a gated hidden layer."""

    def __init__(self, width=1024, heads=16, key_heads=4, hidden=2816):
        super().__init__()
        self.heads, self.key_heads, self.size = heads, key_heads, width // heads

        def dense(inputs, outputs):
            return nn.Linear(inputs, outputs, bias=False)
        self.norm1, self.norm2 = RmsNorm(width), RmsNorm(width)
        self.query, self.out = dense(width, width), dense(width, width)
        self.key, self.value = dense(width, self.size * key_heads), dense(width, self.size * key_heads)
        self.gate, self.up, self.down = dense(width, hidden), dense(width, hidden), dense(hidden, width)

    def forward(self, x, past, rotate):
        batch, _, width = x.shape
        h = self.norm1(x)
        q, k = rotate(split_heads(self.query(h), self.heads)), rotate(split_heads(self.key(h), self.key_heads))
        k = torch.cat([past[0], k], 2)
        v = torch.cat([past[1], split_heads(self.value(h), self.key_heads)], 2)
        # One token: the heads that share keys are rows of one product.
        q = q.reshape(batch, self.key_heads, self.heads // self.key_heads, self.size)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).reshape(batch, 1, width))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h)), k, v


class LlamaDecode(nn.Module):
    """One token of a language model, of 0.33 billion parameters where no other width and layers are asked for, behind
    POSITION others."""

    def __init__(self, width=1024, layers=24, vocabulary=32000, **block):
        super().__init__()
        self.tokens, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary, bias=False)
        self.blocks, self.norm = nn.ModuleList(LlamaBlock(width, **block) for _ in range(layers)), RmsNorm(width)
        angles = POSITION / 10000 ** (torch.arange(0, 64, 2) / 64)
        self.register_buffer('angles', torch.cat([angles, angles]))
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=.02)

    def rotate(self, x):
        half = torch.cat([-x[..., 32:], x[..., :32]], -1)
        return x * self.angles.cos().to(x.dtype) + half * self.angles.sin().to(x.dtype)

    def forward(self, tokens, past):
        x, grown = self.tokens(tokens), []
        for layer, block in enumerate(self.blocks):
            x, k, v = block(x, past[layer], self.rotate)
            grown += [k, v]
        return (self.head(self.norm(x)), *grown)


class Recurrent(nn.Module):
    """Two layers of 512 cells over a sequence."""

    def __init__(self, kind):
        super().__init__()
        self.cells, self.head = kind(80, 512, 2), nn.Linear(512, 64)

    def forward(self, x):
        return self.head(self.cells(x)[0])


def make_mlp():
    widths, layers = (64, 512, 512, 256, 10), []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@dataclasses.dataclass(frozen=True)
class Model:
    """build makes the module, inputs its inputs for a batch. Of narrow types, those in jax are written in JAX from the
    module's weights (in_jax.py), and static says that their scales come from a calibration. onnx is whether there is a
    file for ONNX Runtime and OpenVINO."""

    name: str
    build: Callable
    inputs: Callable
    types: tuple = ('f32', 'bf16')
    jax: tuple = ()
    static: bool = False
    onnx: bool = True


def images(size):
    return lambda batch: (torch.randn(batch, 3, size, size),)


def token_ids(vocabulary, length):
    return lambda batch: (torch.randint(0, vocabulary, (batch, length)),)


def token_behind(vocabulary, layers, heads):
    return lambda batch: (torch.randint(0, vocabulary, (batch, 1)),
                          torch.randn(layers, 2, batch, heads, POSITION, 64))


MODELS = {model.name: model for model in [
    Model('resnet50', ResNet50, images(224), ('f32', 'bf16', 'int8'), ('int8',), static=True),
    Model('mobilenetv2', MobileNetV2, images(224)),
    Model('vit-b16', Vit, images(224)),
    Model('bert', Bert, token_ids(30522, 128), ('f32', 'bf16', 'int8'), ('int8',)),
    Model('gpt2-prefill', Gpt2, token_ids(50257, 128)),
    Model('gpt2-decode', Gpt2Decode, token_behind(50257, 12, 12)),
    Model('llama-decode', LlamaDecode, token_behind(32000, 24, 4), ('f32', 'bf16', 'int8', 'int4'),
          ('f32', 'bf16', 'int8', 'int4')),
    # 1.1 billion parameters.
    Model('llama-decode-large', lambda: LlamaDecode(2048, 22, heads=32, hidden=5632), token_behind(32000, 22, 4),
          ('bf16', 'int8', 'int4'), ('bf16', 'int8', 'int4'), onnx=False),
    Model('whisper-encoder', WhisperEncoder, lambda batch: (torch.randn(batch, 80, 3000),)),
    Model('lstm', lambda: Recurrent(nn.LSTM), lambda batch: (torch.randn(200, batch, 80),)),
    Model('gru', lambda: Recurrent(nn.GRU), lambda batch: (torch.randn(200, batch, 80),)),
    Model('mlp', make_mlp, lambda batch: (torch.randn(batch, 64),)),
    Model('unet', UNet, images(256)),
]}
QUICK = ('mobilenetv2', 'bert', 'gpt2-decode', 'mlp')


def make(name, batch):
    """The module in f32, and its inputs; batch norms have statistics as if they had been trained."""
    torch.manual_seed(1)
    module = MODELS[name].build().eval().requires_grad_(False)
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, .1)
            part.running_var.uniform_(.5, 1.5)
            nn.init.uniform_(part.weight, .5, 1)
            nn.init.normal_(part.bias, 0, .1)
        if isinstance(part, nn.Conv2d):
            fan = part.weight[0].numel()
            nn.init.normal_(part.weight, std=math.sqrt(2 / fan))
    return module, MODELS[name].inputs(batch)


def narrow(module, inputs):
    """Both in bf16."""
    return module.bfloat16(), tuple(x.bfloat16() if x.is_floating_point() else x for x in inputs)
