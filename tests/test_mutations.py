"""Bugs that people really write, put in one at a time: a fast test must catch every one.

A mutation is (file, what stands there, what the bug makes of it, the test that must see it). Where
the code has changed, write the second and the third anew. Run one alone with
`python -m pytest tests/test_mutations.py -k "scale"`.
"""

import gc
import importlib
import multiprocessing
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOADED = ["pytest", "torch", "numpy", "jaxtyping", "requests", "sacrebleu", "tokenizers"]
ENGINES = ("ctranslate2", "onnx", "onnxruntime")  # packages without which some tests are left out
LOADED += ["torch.distributed.tensor", "torch.nn.attention"]  # for assert_close, the first one
PATIENCE = 1800.0  # seconds: should a process be lost, nobody waits forever

MUTATIONS = {
    "no scale": (
        "model/scaled_dot_product",
        " / math.sqrt(query.size(-1))",
        "",
        "model/multi_head_attention.the_worked_example_of_the_book",
    ),
    "scale by head_dim, not its root": (
        "model/scaled_dot_product",
        "math.sqrt(query.size(-1))",
        "query.size(-1)",
        "model/multi_head_attention.the_worked_example_of_the_book",
    ),
    "softmax over queries": (
        "model/scaled_dot_product",
        "scores.softmax(dim=-1)",
        "scores.softmax(dim=-2)",
        "model/multi_head_attention.the_worked_example_of_the_book",
    ),
    "mask flipped": (
        "model/scaled_dot_product",
        "masked_fill(~mask",
        "masked_fill(mask",
        "model/multi_head_attention.every_row_of_weights_sums_to_one",
    ),
    "masked scores set to zero": (
        "model/scaled_dot_product",
        'float("-inf")',
        "0.0",
        "model/multi_head_attention.attention_agrees_with_torch_and_with_numpy",
    ),
    "fused kernel without the mask": (
        "model/scaled_dot_product",
        "(query, key, value, mask, enable_gqa=shared)",
        "(query, key, value, enable_gqa=shared)",
        "model/multi_head_attention.the_fused_kernel_gives_the_same_mixture",
    ),
    "heads cut across instead of along": (
        "model/multi_head_attention",
        "x.unflatten(-1, (num_heads or self.num_heads, -1)).transpose(1, 2)",
        "x.unflatten(-1, (-1, num_heads or self.num_heads)).permute(0, 3, 1, 2)",
        "model/multi_head_attention.multi_head_attention_agrees_with_torch",
    ),
    "heads merged without moving them back": (
        "model/multi_head_attention",
        "x.transpose(1, 2).flatten(2)",
        "x.reshape(x.size(0), x.size(2), -1)",
        "model/multi_head_attention.the_future_cannot_change_the_past",
    ),
    "values from the keys": (
        "model/multi_head_attention",
        "v = self.split_heads(self.value_proj(value), ",
        "v = self.split_heads(self.value_proj(key), ",
        "model/multi_head_attention.multi_head_attention_agrees_with_torch",
    ),
    "keys through the query projection": (
        "model/multi_head_attention",
        "k = self.split_heads(self.key_proj(key), self.num_kv_heads)",
        "k = self.split_heads(self.query_proj(key))",
        "model/multi_head_attention.multi_head_attention_agrees_with_torch",
    ),
    "causal mask lets one future token through": (
        "model/masks",
        ".tril()",
        ".tril(1)",
        "model/masks.position_i_sees_itself_and_what_came_before",
    ),
    "causal mask hides the token itself": (
        "model/masks",
        ".tril()",
        ".tril(-1)",
        "model/masks.position_i_sees_itself_and_what_came_before",
    ),
    "causal mask upside down": (
        "model/masks",
        ".tril()",
        ".triu()",
        "model/masks.position_i_sees_itself_and_what_came_before",
    ),
    "padding mask flipped": (
        "model/masks",
        "ids != pad_id",
        "ids == pad_id",
        "model/masks.padding_is_hidden_from_every_head_and_query",
    ),
    "sines and cosines swapped": (
        "model/positions",
        "[angle.sin(), angle.cos()]",
        "[angle.cos(), angle.sin()]",
        "model/positions.the_first_position_is_zeros_and_ones",
    ),
    "wavelengths squared": (
        "model/positions",
        "10_000 ** (wave / d_model)",
        "10_000 ** (2 * wave / d_model)",
        "model/positions.sines_and_cosines_alternate_as_printed_in_the_paper",
    ),
    "sines and cosines in halves": (
        "model/positions",
        "dim=-1).flatten(1)",
        "dim=1).flatten(1)",
        "model/positions.the_first_position_is_zeros_and_ones",
    ),
    "a cached step at position zero": (
        "model/positions",
        "return table[start:stop]",
        "return table[:length]",
        "model/positions.a_decoder_that_goes_on_at_a_later_position_adds_the_same_rows",
    ),
    "no residual around the feed-forward": (
        "model/layers",
        "return self.norm2(x + self.dropout(self.feed_forward(x)))",
        "return self.norm2(self.dropout(self.feed_forward(x)))",
        "model/layers.an_encoder_layer_agrees_with_torch",
    ),
    "normalization before the addition": (
        "model/layers",
        "return self.norm2(x + self.dropout(self.feed_forward(x)))",
        "return x + self.norm2(self.dropout(self.feed_forward(x)))",
        "model/layers.an_encoder_layer_agrees_with_torch",
    ),
    "one norm used twice": (
        "model/layers",
        "return self.norm3(",
        "return self.norm2(",
        "model/layers.a_decoder_layer_agrees_with_torch",
    ),
    "cross-attention looks at the target": (
        "model/layers",
        "self.cross_attn(x, memory, memory, src_mask)",
        "self.cross_attn(x, x, x, tgt_mask)",
        "model/layers.a_decoder_layer_agrees_with_torch",
    ),
    "cross-attention sees padding": (
        "model/layers",
        "self.cross_attn(x, memory, memory, src_mask)",
        "self.cross_attn(x, memory, memory)",
        "model/layers.a_decoder_layer_agrees_with_torch",
    ),
    "no dropout on the attention": (
        "model/layers",
        "x = self.norm1(x + self.dropout(self.self_attn(x, x, x, src_mask)))",
        "x = self.norm1(x + self.self_attn(x, x, x, src_mask))",
        "model/layers.dropout_falls_on_each_sublayers_output_and_on_nothing_else",
    ),
    "decoder without causal mask": (
        "model/transformer",
        "causal_mask(tgt.size(1), tgt.device) & ",
        "",
        "model/transformer.the_model_agrees_with_torch_to_the_last_digits",
    ),
    "encoder without padding mask": (
        "model/transformer",
        "self.encode(src, src_mask)",
        "self.encode(src)",
        "model/transformer.the_model_agrees_with_torch_to_the_last_digits",
    ),
    "embeddings not scaled": (
        "model/transformer",
        " * math.sqrt(self.config.d_model), start",
        ", start",
        "model/transformer.the_model_agrees_with_torch_to_the_last_digits",
    ),
    "output matrix cut off from the gradient": (
        "model/transformer",
        "linear(x, self.embedding.weight)",
        "linear(x, self.embedding.weight.detach())",
        "model/transformer.the_gradient_is_right",
    ),
    "one layer's weights used in all": (
        "model/transformer",
        "nn.ModuleList(parts.encoder_layer(config) for _ in depth)",
        "nn.ModuleList([parts.encoder_layer(config)] * config.num_layers)",
        "model/every_variant.recorded_weights_are_those_that_the_heads_used",
    ),
    "warm-up that falls": (
        "training/schedule",
        "step * warmup**-1.5",
        "step * warmup**-0.5",
        "training/schedule.the_rate_climbs_in_a_straight_line_and_falls_as_the_root_of_the_steps",
    ),
    "padding in the loss": (
        "training/loss",
        "ignore_index=PAD_ID, ",
        "",
        "training/loss.label_smoothing_is_cross_entropy_against_a_softened_distribution",
    ),
    "no label smoothing": (
        "training/loss",
        "label_smoothing=smoothing",
        "label_smoothing=0.0",
        "training/loss.label_smoothing_is_cross_entropy_against_a_softened_distribution",
    ),
    "Adam with its usual constants": (
        "training/loop",
        "betas=(0.9, 0.98)",
        "betas=(0.9, 0.999)",
        "training/loop.the_optimizer_has_the_papers_constants",
    ),
    "gradients pile up": (
        "training/loop",
        "optimizer.zero_grad(set_to_none=True)",
        "pass",
        "training/loop.a_model_learns_to_copy",
    ),
    "the rate never set": (
        "training/loop",
        'group["lr"] = rate',
        "pass",
        "training/loop.a_model_learns_to_copy",
    ),
    "target not shifted": (
        "data/batching",
        "[[*tgt, EOS_ID] for tgt",
        "[[BOS_ID, *tgt] for tgt",
        "data/batching.the_decoder_reads_bos_and_says_the_next_token",
    ),
    "no end mark on the source": (
        "data/batching",
        "[[*src, EOS_ID] for src",
        "[[*src] for src",
        "data/batching.the_decoder_reads_bos_and_says_the_next_token",
    ),
    "the cache forgets to reorder values": (
        "decoding/cache",
        "self.values.index_select(0, rows)",
        "self.values",
        "decoding/search.the_rows_of_a_beam_share_one_memory_and_may_change_places",
    ),
    "the cache keeps the wrong sentences": (
        "decoding/cache",
        "self.keys, self.values = self.keys[sentences], self.values[sentences]",
        "self.keys, self.values = self.keys[: len(sentences)], self.values[: len(sentences)]",
        "decoding/search.the_rows_of_a_beam_share_one_memory_and_may_change_places",
    ),
    "inputs of int8 without their scale": (
        "decoding/quantized",
        "torch.addcmul(self.bias, y, top)",
        "y",
        "decoding/quantized.an_int8_map_multiplies_the_rounded_numbers_exactly",
    ),
    "one scale for all rows": (
        "decoding/quantized",
        "rows.abs().amax(-1, keepdim=True)",
        "rows.abs().max()",
        "decoding/quantized.rounding_to_int8_moves_a_number_by_half_a_unit_of_its_row_at_most",
    ),
    "cached keys of another step": (
        "decoding/steady",
        "buffer[place].copy_(token)",
        "buffer[max(place - 1, 0)].copy_(token)",
        "decoding/steady.a_steady_step_scores_as_the_readable_one",
    ),
    "padding seen where buffers stay": (
        "decoding/steady",
        "torch.baddbmm(bias, q, keys, alpha=scale)",
        "torch.baddbmm(bias, q, keys, beta=0, alpha=scale)",
        "decoding/steady.a_steady_step_scores_as_the_readable_one",
    ),
    "what was kept is lost where a buffer grows": (
        "decoding/steady",
        "room[: self.length] = kept",
        "pass",
        "decoding/steady.a_steady_step_scores_as_the_readable_one",
    ),
    "buffers that a beam does not reorder": (
        "decoding/steady",
        "self.kept, self.spare = self.spare, self.kept",
        "pass",
        "decoding/steady.a_steady_step_scores_as_the_readable_one",
    ),
    "scores scaled by the width of the values": (
        "decoding/steady",
        "q.size(-1) ** -0.5",
        "values.size(-1) ** -0.5",
        "decoding/steady.a_steady_step_scores_as_the_readable_one",
    ),
    "the rows of a beam taken for heads": (
        "decoding/steady",
        "q.transpose(1, 2).reshape(sentences",
        "q.reshape(sentences",
        "decoding/steady.a_steady_step_scores_as_the_readable_one",
    ),
    "the first mask for ever": (
        "decoding/steady",
        "if mask is not self.mask:",
        "if self.mask is None:",
        "decoding/steady.a_steady_step_scores_as_the_readable_one",
    ),
    "a prompt that repeats its first token": (
        "decoding/steady",
        "ids[:, column : column + 1]",
        "ids[:, :1]",
        "decoding/steady.a_prompt_is_read_token_by_token",
    ),
    "a layout without the bias": (
        "decoding/layouts",
        "F.linear(x, turned, bias)",
        "F.linear(x, turned)",
        "decoding/layouts.every_layout_is_the_same_linear_map",
    ),
    "the rows of one beam laid out as one row": (
        "decoding/layouts",
        "x.numel() > x.size(-1)",
        "x.size(0) > 1",
        "decoding/layouts.one_row_and_several_may_have_layouts_of_their_own",
    ),
    "the slowest layout": (
        "decoding/layouts",
        "min(layouts, key=taken)",
        "max(layouts, key=taken)",
        "decoding/layouts.the_layout_that_takes_least_time_is_chosen_for_each_number_of_rows",
    ),
    "several rows measured as one": (
        "decoding/layouts",
        "fastest(shape, sizes[1])",
        "fastest(shape, 1)",
        "decoding/layouts.the_layout_that_takes_least_time_is_chosen_for_each_number_of_rows",
    ),
    "keys and values swapped for CTranslate2": (
        "engines/ctranslate2",
        "[maps[:1], maps[1:]]",
        "[maps[:1], maps[:0:-1]]",
        "engines/handing_over.ctranslate2_scores_a_translation_as_the_model_does",
    ),
    "no end mark on CTranslate2's source": (
        "engines/ctranslate2",
        "add_source_eos = True",
        "add_source_eos = False",
        "engines/handing_over.ctranslate2_scores_a_translation_as_the_model_does",
    ),
    "CTranslate2's last norm is that before": (
        "engines/ctranslate2",
        "norm = layer.norm3",
        "pass",
        "engines/handing_over.ctranslate2_scores_a_translation_as_the_model_does",
    ),
    "CTranslate2 by its own length penalty": (
        "engines/ctranslate2",
        " / length_penalty(length, alpha)",
        "",
        "engines/handing_over.a_beam_of_ctranslate2_is_ranked_by_our_penalty",
    ),
    "padding may be written by an engine": (
        "engines/exported",
        "bias[[PAD_ID, BOS_ID]]",
        "bias[[BOS_ID]]",
        "engines/handing_over.a_step_of_the_graph_scores_as_the_model_does",
    ),
    "pre-norm handed to the page": (
        "engines/exported",
        'if target == "page"',
        "if not target",
        "engines/handing_over.pre_norm_is_not_for_the_page",
    ),
    "a damaged file is read": (
        "engines/exported",
        " or checkpoint.sha256(path) != expected",
        "",
        "engines/handing_over.a_folder_that_is_not_what_export_wrote_is_refused",
    ),
    "no scale in the graph": (
        "engines/model_graphs",
        "attend.head_dim**-0.5",
        "1.0",
        "engines/handing_over.a_step_of_the_graph_scores_as_the_model_does",
    ),
    "the graph's encoder sees padding": (
        "engines/model_graphs",
        "attend, (0, 0), bias)",
        "attend, (0, 0))",
        "engines/handing_over.a_step_of_the_graph_scores_as_the_model_does",
    ),
    "the graph's decoder sees padding": (
        "engines/model_graphs",
        "attend, (-1,), bias)",
        "attend, (-1,))",
        "engines/handing_over.a_step_of_the_graph_scores_as_the_model_does",
    ),
    "the graph's post-norm where pre-norm is": (
        "engines/model_graphs",
        'norm_placement == "pre"',
        'norm_placement == "never"',
        "engines/handing_over.a_step_of_the_graph_scores_as_the_model_does",
    ),
    "the graph's embedding without its scale": (
        "engines/model_graphs",
        "math.sqrt(model.config.d_model)",
        "1.0",
        "engines/handing_over.a_step_of_the_graph_scores_as_the_model_does",
    ),
    "a graph of maps without biases": (
        "engines/graph",
        'self("Add", self("MatMul", x, weight), bias)',
        'self("MatMul", x, weight)',
        "engines/handing_over.a_step_of_the_graph_scores_as_the_model_does",
    ),
    "onnxruntime's beam keeps its rows": (
        "engines/onnx",
        "kept[rows.numpy()]",
        "kept[np.sort(rows.numpy())]",
        "engines/handing_over.the_length_penalty_is_ours",
    ),
    "onnxruntime keeps the wrong sentences": (
        "engines/onnx",
        "kept[sentences.numpy()]",
        "kept[: len(sentences)]",
        "engines/handing_over.the_length_penalty_is_ours",
    ),
    "the output's matrix left as it was": (
        "decoding/packed",
        'setattr(copied, "logits"',
        "dict(unused",
        "decoding/quantized.a_packed_model_translates_alike",
    ),
    "the lucky round chooses the precision": (
        "training/precision",
        "statistics.median(shares)",
        "min(shares)",
        "training/precision.a_round_unlike_the_others_does_not_choose",
    ),
    "the slower precision": (
        "training/precision",
        "share < CLEARLY",
        "share > CLEARLY",
        "training/precision.what_is_clearly_faster_here_is_chosen_and_said",
    ),
    "int8 read without its scale": (
        "training/checkpoint",
        " * weights.pop(",
        ".float(); weights.pop(",
        "decoding/exporting.every_weight_comes_back_within_half_a_unit_of_its_row",
    ),
    "dropout while decoding": (
        "decoding/search",
        "model.eval()",
        "model.train()",
        "decoding/search.greedy_takes_the_likeliest_token_each_time",
    ),
    "candidates from the best block only": (
        "decoding/beam",
        "topk(min(count, blocks.size(-2)))",
        "topk(1)",
        "decoding/search.a_beam_of_one_without_penalty_is_greedy",
    ),
    "no length penalty": (
        "decoding/beam",
        "return ((5 + length) / 6) ** alpha",
        "return 1.0",
        "decoding/search.the_length_penalty_is_the_one_of_gnmt",
    ),
    "beam that stops at the first ending": (
        "decoding/beam",
        "if len(finished) < beam:\n        return False\n",
        "if finished:\n        return True\n    return False\n",
        "decoding/search.a_wide_beam_finds_the_best_of_all_sentences",
    ),
    "beam that stops before the longest output": (
        "decoding/beam",
        "length_penalty(limit + 1, alpha)",
        "length_penalty(limit // 2 + 1, alpha)",
        "decoding/search.a_search_goes_on_while_the_longest_output_could_still_win",
    ),
    "hypotheses take each other's words": (
        "decoding/beam",
        "rows = (kept[:, None] * beam + parents[kept]).flatten()",
        "rows = (kept[:, None] * beam + parents[kept].sort(-1).values).flatten()",
        "decoding/search.every_hypothesis_has_the_score_of_its_own_words",
    ),
    "a finished sentence goes on in the batch": (
        "decoding/search",
        "return ids[rows], rows, rows",
        "return ids[rows], rows, None",
        "decoding/search.greedy_takes_the_likeliest_token_each_time",
    ),
    "a prompt that the model overwrites": (
        "decoding/search",
        "torch.where(given == PAD_ID, ids, given)",
        "ids",
        "decoding/generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "a nucleus without the token that reaches its share": (
        "decoding/sampling",
        "(likelier < top_p)",
        "(likelier + ranked < top_p)",
        "decoding/sampling.the_nucleus_is_the_fewest_tokens_that_reach_top_p",
    ),
    "tokens below the best k": (
        "decoding/sampling",
        'torch.full_like(logits, float("-inf"))',
        "torch.zeros_like(logits)",
        "decoding/sampling.top_k_keeps_the_k_likeliest_in_their_proportions",
    ),
    "draws that depend on the place in the batch": (
        "decoding/sampling",
        "{row[row != PAD_ID].tolist()}",
        "{row.tolist()}",
        "decoding/sampling.a_source_is_sampled_alike_alone_and_in_any_batch",
    ),
    "dropout that depends on what came before": (
        "training/loop",
        "        seed_step(config.seed, number, rank, device)\n",
        "",
        "training/loop.training_goes_on_as_if_it_had_not_stopped",
    ),
    "the same dropout in every process": (
        "training/loop",
        "SeedSequence([seed, number, rank])",
        "SeedSequence([seed, number])",
        "training/loop.dropout_differs_between_steps_and_between_processes",
    ),
    "a part of a batch averaged over itself": (
        "training/loss",
        "return total / (num_tokens or (tgt_out != PAD_ID).sum().clamp(min=1))",
        "return total / (tgt_out != PAD_ID).sum()",
        "training/loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the loss's gradient without the true token": (
        "training/loss",
        "smoothing - 1)",
        "smoothing)",
        "training/loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the loss's gradient without the smoothed target": (
        "training/loss",
        ".sub_(even)",
        "",
        "training/loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the loss without its smoothed part": (
        "training/loss",
        "loss -= even",
        "loss -= 0.0",
        "training/loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the loss's gradient not divided by the tokens": (
        "training/loss",
        "= part * (",
        "= (",
        "training/loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the matrix's gradient from the last chunk only": (
        "training/loss",
        "by_weight += too",
        "by_weight = too",
        "training/loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "parts of a batch that overlap": (
        "data/batching",
        "ids[number::parts]",
        "ids[number:]",
        "training/distributed.without_dropout_gradient_accumulation_changes_no_loss",
    ),
    "gradients of one pass only": (
        "training/loop",
        "            (share * world).backward()",
        "            optimizer.zero_grad()\n            (share * world).backward()",
        "training/distributed.without_dropout_gradient_accumulation_changes_no_loss",
    ),
    "resume without Adam's memory": (
        "training/checkpoint",
        '("exp_avg", "exp_avg_sq")',
        "()",
        "training/checkpoint.the_optimizer_comes_back",
    ),
    "resume replays the first batches": (
        "training/run_training",
        "starting_at(self.step)",
        "starting_at(0)",
        "training/runs.a_run_cut_off_anywhere_goes_on_with_the_same_losses",
    ),
    "RoPE turned the other way": (
        "model/relative",
        "torch.complex(cosine, sine)",
        "torch.complex(cosine, -sine)",
        "model/relative.turning_is_a_multiplication_of_complex_numbers",
    ),
    "RoPE on the values": (
        "model/relative",
        "rotate(k, angles), v",
        "rotate(k, angles), rotate(v, angles)",
        "model/relative.rotary_attention_is_plain_attention_between_turned_queries_and_keys",
    ),
    "RoPE on the queries alone": (
        "model/relative",
        "rotate(k, angles), v",
        "k, v",
        "model/relative.rotary_attention_is_plain_attention_between_turned_queries_and_keys",
    ),
    "RoPE that pairs the halves": (
        "model/relative",
        "x.to(wide).unflatten(-1, (-1, 2))",
        "x.to(wide).unflatten(-1, (2, -1)).mT.contiguous()",
        "model/relative.turning_is_a_multiplication_of_complex_numbers",
    ),
    "RoPE with every cached token at position zero": (
        "model/relative",
        "self.table, start,",
        "self.table, 0,",
        "decoding/generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "RoPE across two sequences": (
        "model/parts",
        "cross_attn=cross_attention(config)",
        "cross_attn=self_attention(config)",
        "model/every_variant.no_logit_depends_on_a_later_token",
    ),
    "ALiBi that likes what is far": (
        "model/relative",
        "return -self.slopes",
        "return self.slopes",
        "model/relative.alibi_adds_what_its_paper_says",
    ),
    "ALiBi slopes in the other order": (
        "model/relative",
        "torch.arange(1, num_heads + 1)",
        "torch.arange(num_heads, 0, -1)",
        "model/relative.alibi_adds_what_its_paper_says",
    ),
    "ALiBi slopes counted from zero": (
        "model/relative",
        "torch.arange(1, num_heads + 1)",
        "torch.arange(num_heads)",
        "model/relative.alibi_adds_what_its_paper_says",
    ),
    "ALiBi with a cached query at the start": (
        "model/relative",
        "positions[k_len - q_len :, None]",
        "positions[:q_len, None]",
        "model/relative.a_cached_query_stands_at_the_end_of_its_keys",
    ),
    "ALiBi that takes a mirror image for the sentence": (
        "model/relative",
        "-2 * back",
        "-back",
        "model/relative.an_encoder_with_alibi_tells_a_sentence_from_its_mirror_image",
    ),
    "ALiBi lost where there is a mask": (
        "model/scaled_dot_product",
        'bias.masked_fill(~mask, float("-inf"))',
        "mask",
        "model/relative.half_precision_stays_half_precision",
    ),
    "key heads dealt out in turn, not in runs": (
        "model/scaled_dot_product",
        "    shared = query.shape[:-2] != key.shape[:-2]\n",
        "    shared = query.shape[:-2] != key.shape[:-2]\n"
        "    if shared:\n"
        "        times = query.size(-3) // key.size(-3)\n"
        "        key, value = key.repeat(1, times, 1, 1), value.repeat(1, times, 1, 1)\n",
        "model/variants.shared_heads_are_full_heads_whose_keys_and_values_are_repeated",
    ),
    "recorded key heads dealt out in turn": (
        "model/multi_head_attention",
        "k.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)",
        "k.repeat(1, self.num_heads // self.num_kv_heads, 1, 1)",
        "model/variants.shared_heads_are_full_heads_whose_keys_and_values_are_repeated",
    ),
    "pre-norm without a norm at the end": (
        "model/parts",
        'NORMS[config.norm](config.d_model) if config.norm_placement == "pre" else nn.Identity()',
        "nn.Identity()",
        "model/variants.a_pre_norm_model_agrees_with_torch_norms_at_the_end_of_its_stacks_included",
    ),
    "pre-norm without a norm at the end of cached steps": (
        "decoding/cache",
        "self.model.decoder_norm(x[:, -1])",
        "x[:, -1]",
        "decoding/generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "pre-norm on the residual path too": (
        "model/variants",
        "x = x + self.dropout(self.self_attn(y, y, y, src_mask))",
        "x = y + self.dropout(self.self_attn(y, y, y, src_mask))",
        "model/variants.a_pre_norm_encoder_layer_agrees_with_torch",
    ),
    "pre-norm that normalizes the memory again": (
        "model/variants",
        "(self.norm2(x), memory, memory, src_mask)",
        "(self.norm2(x), self.norm2(memory), self.norm2(memory), src_mask)",
        "model/variants.a_pre_norm_decoder_layer_agrees_with_torch",
    ),
    "RMSNorm that centers": (
        "model/variants",
        "return x * (x.square()",
        "x = x - x.mean(-1, keepdim=True)\n        return x * (x.square()",
        "model/variants.rms_norm_agrees_with_torch",
    ),
    "RMSNorm without eps": (
        "model/variants",
        " + self.eps).rsqrt()",
        ").rsqrt()",
        "model/variants.rms_norm_agrees_with_torch",
    ),
    "a gate without its activation": (
        "model/variants",
        "self.activation(self.gate(x))",
        "self.gate(x)",
        "model/variants.a_gate_multiplies_what_passes",
    ),
    "GeGLU that is SwiGLU": (
        "model/choices",
        "partial(GatedFeedForward, activation=F.gelu)",
        "partial(GatedFeedForward, activation=F.silu)",
        "model/config.each_activation_is_the_one_that_its_name_says",
    ),
    "online softmax that does not rescale the mixture": (
        "model/flash",
        "mixed * shrink",
        "mixed",
        "model/flash.tile_by_tile_gives_the_exact_mixture",
    ),
    "online softmax that does not rescale the sum": (
        "model/flash",
        "total * shrink",
        "total",
        "model/flash.tile_by_tile_gives_the_exact_mixture",
    ),
    "online softmax with the maximum of one tile": (
        "model/flash",
        "torch.maximum(highest, scores.detach().amax(-1, keepdim=True))",
        "scores.detach().amax(-1, keepdim=True)",
        "model/flash.tile_by_tile_gives_the_exact_mixture",
    ),
    "online softmax without a maximum": (
        "model/flash",
        'reference = higher.masked_fill(higher == float("-inf"), 0.0)',
        "reference = torch.zeros_like(higher)",
        "model/flash.tile_by_tile_gives_the_exact_mixture",
    ),
    "loss over all tokens, hidden or not": (
        "model/encoder_only",
        "logits[chosen].float(), ids[chosen]",
        "logits.flatten(0, 1).float(), ids.flatten()",
        "model/encoder_only.the_loss_counts_the_chosen_tokens_and_no_others",
    ),
    "end marks to guess": (
        "model/encoder_only",
        " & ~torch.isin(ids, ids.new_tensor(special_ids))",
        "",
        "model/encoder_only.fifteen_in_a_hundred_ordinary_tokens_are_chosen",
    ),
    "every chosen token hidden": (
        "model/encoder_only",
        "(fate < 0.8), mask_id",
        "(fate < 2), mask_id",
        "model/encoder_only.of_these_eight_in_ten_are_hidden_one_is_swapped_and_one_stays",
    ),
    "an encoder alone that sees padding": (
        "model/encoder_only",
        "x = layer(x, mask)",
        "x = layer(x)",
        "model/every_variant.padding_on_the_right_is_invisible",
    ),
    "a decoder alone that sees the future": (
        "model/decoder_only",
        "causal_mask(ids.size(1), ids.device) & ",
        "",
        "decoding/generation.a_decoder_alone_is_torchs_encoder_under_a_causal_mask",
    ),
    "a prompt that sees its own future": (
        "decoding/cache",
        "[-ids.size(1) :] if ids.size(1) > 1 else None",
        "[-ids.size(1) :] if ids.size(1) > 99 else None",
        "decoding/generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "a temperature that sharpens as it rises": (
        "decoding/sampling",
        "(logits - logits.amax(-1, keepdim=True)) / temperature",
        "(logits - logits.amax(-1, keepdim=True)) * temperature",
        "decoding/generation.tokens_are_drawn_as_often_as_the_model_says",
    ),
    "a short prompt that waits for no one": (
        "decoding/search",
        "if self.length >= self.prompt_lengths[text]:",
        "if self.length >= min(self.prompt_lengths):",
        "decoding/generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "weights of one variant taken for another": (
        "training/checkpoint",
        'if name not in ("dropout", "max_len") and',
        "if not name and",
        "training/checkpoint.weights_of_one_variant_as_another_are_refused_by_the_first_difference",
    ),
    "brackets counted as a set": (
        "decoding/bracketing",
        "before[end]] += 1",
        "before[end]] = 1",
        "decoding/bracketing.a_bracket_that_stands_twice_must_be_found_twice",
    ),
    "a tree closed before all words are used": (
        "decoding/parsing",
        "and (len(self.stack) > 1 or not self.words)",
        "",
        "decoding/tree_rule.what_may_follow_a_beginning",
    ),
    "rules that do not move with the rows of a beam": (
        "decoding/constrained",
        "rows is None else rows.tolist()",
        "rows is None else range(len(rows))",
        "decoding/tree_rule.random_weights_write_whole_trees_over_the_very_words",
    ),
}


Verdict = tuple[int, str]  # pytest's exit code, and what it printed


def node(seen_by: str) -> str:
    """A test by pytest's name for it."""
    place, test = seen_by.split(".")
    folder, module = place.split("/")
    return f"{ROOT}/tests/{folder}/test_{module}.py::test_{test}"


def run_tests(folder: Path, nodes: list[str]) -> Verdict:
    """Run tests on the package in `folder`, until one fails.

    It is called once in a process of its own, which has not loaded the package yet.
    """
    gc.freeze()  # what was there before this process is not looked through
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    importlib.import_module("transformer_course.which")  # only the copy has this module
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["PYTHONDONTWRITEBYTECODE"], sys.dont_write_bytecode = "1", True
    said = folder / "said.txt"
    with open(said, "w") as file:
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
        code = pytest.main(["-xq", "-m", "not slow", "-p", "no:cacheprovider", *nodes])
        sys.stdout.flush()
    return int(code), said.read_text()


def copy_package(folder: Path) -> Path:
    """The package once more, by links, in a folder of its own, with a module that tells it from
    ours. What is compiled already need not be compiled again.
    """
    copy = folder / "transformer_course"
    shutil.copytree(ROOT / "transformer_course", copy, copy_function=os.symlink)
    (copy / "which.py").touch()
    return folder


def run_with_bug(name: str, folder: Path) -> Verdict:
    module, before, after, seen_by = MUTATIONS[name]
    file = copy_package(folder) / "transformer_course" / f"{module}.py"
    text = file.read_text()
    assert before in text, f"{module}.py no longer holds {before!r}: write this mutation anew"
    file.unlink()
    file.write_text(text.replace(before, after, 1))
    return run_tests(folder, [node(seen_by)])


@pytest.fixture(scope="module")
def processes():
    """As many as there are cores, each for one run. What takes long to import is there."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    with context.Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        yield pool


@pytest.fixture(scope="module")
def verdicts(processes, request, tmp_path_factory):
    """What the test that must see it says of each bug that is asked for."""
    asked = [item for item in request.session.items if item.function is test_the_bug_is_caught]
    names = [item.callspec.params["name"] for item in asked]
    folders = {name: tmp_path_factory.mktemp("bug") for name in names}
    return {name: processes.apply_async(run_with_bug, (name, folders[name])) for name in names}


@pytest.mark.slow
def test_the_unchanged_copy_passes(processes, tmp_path):
    """Otherwise every mutation would count as caught."""
    nodes = sorted({node(seen_by) for *_, seen_by in MUTATIONS.values()})
    code, said = processes.apply_async(run_tests, (copy_package(tmp_path), nodes)).get(PATIENCE)
    assert code == 0, said


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_the_bug_is_caught(verdicts, name):
    if MUTATIONS[name][0].startswith("engines/") and not all(map(find_spec, ENGINES)):
        pytest.skip("the other engines are not here: see tests/not_run.py")
    code, said = verdicts[name].get(PATIENCE)
    assert code == 1, f"{MUTATIONS[name][-1]} does not see it:\n{said}"
    assert "failed" in said
