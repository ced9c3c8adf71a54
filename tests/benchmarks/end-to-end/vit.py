# SPDX-License-Identifier: LGPL-2.1-or-later
"""ViT-B/16, forward over one image of 224×224: patches by a convolution, 12 blocks as GPT-2's
without a mask and with the exact GELU, logits of 1000 classes from the first token."""

import jax
import jax.numpy as jnp

from gpt2 import block, block_parameters, layer_norm, norm_parameters
from recipe import Input

SIZE, PATCH, WIDTH, LAYERS, CLASSES = 224, 16, 768, 12, 1000
PATCHES = (SIZE // PATCH) ** 2


def vit(image, p):
    x = jax.lax.conv_general_dilated(image, p['patch'], (PATCH, PATCH), 'VALID',
                                     dimension_numbers=('NHWC', 'HWIO', 'NHWC')) + p['patch_bias']
    x = jnp.concatenate([p['class'], x.reshape(PATCHES, WIDTH)]) + p['positions']
    for layer in p['layers']:
        x = block(x, layer, causal=False, approximate=False)
    return layer_norm(x, *p['norm'])[0] @ p['head'] + p['head_bias']


def make():
    parameters = {
        'patch': Input((PATCH, PATCH, 3, WIDTH), scale=0.02), 'patch_bias': Input((WIDTH,), scale=0.02),
        'class': Input((1, WIDTH), scale=0.02), 'positions': Input((PATCHES + 1, WIDTH), scale=0.02),
        'norm': norm_parameters(WIDTH), 'layers': [block_parameters(WIDTH) for _ in range(LAYERS)],
        'head': Input((WIDTH, CLASSES), scale=0.02), 'head_bias': Input((CLASSES,), scale=0.02),
    }
    return vit, (Input((1, SIZE, SIZE, 3), 'normal', role='input'), parameters)
