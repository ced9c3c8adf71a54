# SPDX-License-Identifier: LGPL-2.1-or-later
"""Language models of models.py as files for llama.cpp: its names of tensors, its types for ours, and a vocabulary of
as many names of tokens as the model has."""

import gguf
import numpy as np

from stored import CACHE

TYPES = {'f32': gguf.GGMLQuantizationType.F32, 'bf16': gguf.GGMLQuantizationType.BF16,
         'int8': gguf.GGMLQuantizationType.Q8_0, 'int4': gguf.GGMLQuantizationType.Q4_0}
BLOCK = {'norm1': 'attn_norm', 'query': 'attn_q', 'key': 'attn_k', 'value': 'attn_v', 'out': 'attn_output',
         'norm2': 'ffn_norm', 'gate': 'ffn_gate', 'up': 'ffn_up', 'down': 'ffn_down'}
TOP = {'tokens': 'token_embd', 'norm': 'output_norm', 'head': 'output'}


def pair_halves(weight, heads):
    """Rows of a projection to queries or keys, whose rotated pairs are neighbours there and halves of a head here."""
    return weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def name_tensors(module):
    """(name, array) of each weight."""
    heads = {'query': module.blocks[0].heads, 'key': module.blocks[0].key_heads}
    for name, value in module.named_parameters():
        *path, part, _ = name.split('.')
        array = value.detach().float().numpy()
        if part in heads:
            array = pair_halves(array, heads[part])
        yield (f'blk.{path[-1]}.{BLOCK[part]}.weight' if path else f'{TOP[part]}.weight'), array


def write_vocabulary(writer, n_tokens):
    writer.add_tokenizer_model('llama')
    writer.add_token_list([b'<unk>', b'<s>', b'</s>', *(b'token%d' % number for number in range(3, n_tokens))])
    writer.add_token_scores([0.0] * n_tokens)
    writer.add_token_types([gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL,
                            *[gguf.TokenType.NORMAL] * (n_tokens - 3)])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def write(path, module, kind):
    block, width = module.blocks[0], module.norm.weight.shape[0]
    writer = gguf.GGUFWriter(path, 'llama')
    writer.add_context_length(CACHE)
    writer.add_embedding_length(width)
    writer.add_block_count(len(module.blocks))
    writer.add_feed_forward_length(block.up.weight.shape[0])
    writer.add_head_count(block.heads)
    writer.add_head_count_kv(block.key_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(block.size)
    writer.add_vocab_size(module.tokens.weight.shape[0])
    write_vocabulary(writer, module.tokens.weight.shape[0])
    for name, array in name_tensors(module):
        array = np.ascontiguousarray(array, np.float32)
        if array.ndim == 1 or kind == 'f32':
            writer.add_tensor(name, array)
        else:
            writer.add_tensor(name, gguf.quants.quantize(array, TYPES[kind]), raw_dtype=TYPES[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
