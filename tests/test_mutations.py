"""Bugs that people really write, put in one at a time: a fast test must catch every one.

A mutation is (file, what stands there, what the bug makes of it, the test that must see it). Where
the code has changed, write the second and the third anew. Run one alone with
`python -m pytest tests/test_mutations.py -k "scale"`.
"""

import gc
import importlib
import multiprocessing
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOADED = ["pytest", "torch", "numpy", "jaxtyping", "requests", "sacrebleu", "tokenizers"]
LOADED += ["torch.distributed.tensor", "torch.nn.attention"]  # for assert_close, the first one
PATIENCE = 1800.0  # seconds: should a process be lost, nobody waits forever

MUTATIONS = {
    "no scale": (
        "scaled_dot_product",
        " / math.sqrt(query.size(-1))",
        "",
        "attention.the_worked_example_of_the_book",
    ),
    "scale by head_dim, not its root": (
        "scaled_dot_product",
        "math.sqrt(query.size(-1))",
        "query.size(-1)",
        "attention.the_worked_example_of_the_book",
    ),
    "softmax over queries": (
        "scaled_dot_product",
        "scores.softmax(dim=-1)",
        "scores.softmax(dim=-2)",
        "attention.the_worked_example_of_the_book",
    ),
    "mask flipped": (
        "scaled_dot_product",
        "masked_fill(~mask",
        "masked_fill(mask",
        "attention.every_row_of_weights_sums_to_one",
    ),
    "masked scores set to zero": (
        "scaled_dot_product",
        'float("-inf")',
        "0.0",
        "attention.attention_agrees_with_torch_and_with_numpy",
    ),
    "fused kernel without the mask": (
        "scaled_dot_product",
        "(query, key, value, mask, enable_gqa=shared)",
        "(query, key, value, enable_gqa=shared)",
        "attention.the_fused_kernel_gives_the_same_mixture",
    ),
    "heads cut across instead of along": (
        "attention",
        "x.unflatten(-1, (num_heads or self.num_heads, -1)).transpose(1, 2)",
        "x.unflatten(-1, (-1, num_heads or self.num_heads)).permute(0, 3, 1, 2)",
        "attention.multi_head_attention_agrees_with_torch",
    ),
    "heads merged without moving them back": (
        "attention",
        "x.transpose(1, 2).flatten(2)",
        "x.reshape(x.size(0), x.size(2), -1)",
        "attention.the_future_cannot_change_the_past",
    ),
    "values from the keys": (
        "attention",
        "v = self.split_heads(self.value_proj(value), ",
        "v = self.split_heads(self.value_proj(key), ",
        "attention.multi_head_attention_agrees_with_torch",
    ),
    "keys through the query projection": (
        "attention",
        "k = self.split_heads(self.key_proj(key), self.num_kv_heads)",
        "k = self.split_heads(self.query_proj(key))",
        "attention.multi_head_attention_agrees_with_torch",
    ),
    "causal mask lets one future token through": (
        "masks",
        ".tril()",
        ".tril(1)",
        "masks.position_i_sees_itself_and_what_came_before",
    ),
    "causal mask hides the token itself": (
        "masks",
        ".tril()",
        ".tril(-1)",
        "masks.position_i_sees_itself_and_what_came_before",
    ),
    "causal mask upside down": (
        "masks",
        ".tril()",
        ".triu()",
        "masks.position_i_sees_itself_and_what_came_before",
    ),
    "padding mask flipped": (
        "masks",
        "ids != pad_id",
        "ids == pad_id",
        "masks.padding_is_hidden_from_every_head_and_query",
    ),
    "sines and cosines swapped": (
        "positions",
        "[angle.sin(), angle.cos()]",
        "[angle.cos(), angle.sin()]",
        "positions.the_first_position_is_zeros_and_ones",
    ),
    "wavelengths squared": (
        "positions",
        "10_000 ** (wave / d_model)",
        "10_000 ** (2 * wave / d_model)",
        "positions.sines_and_cosines_alternate_as_printed_in_the_paper",
    ),
    "sines and cosines in halves": (
        "positions",
        "dim=-1).flatten(1)",
        "dim=1).flatten(1)",
        "positions.the_first_position_is_zeros_and_ones",
    ),
    "a cached step at position zero": (
        "positions",
        "return table[start:stop]",
        "return table[:length]",
        "positions.a_decoder_that_goes_on_at_a_later_position_adds_the_same_rows",
    ),
    "no residual around the feed-forward": (
        "layers",
        "return self.norm2(x + self.dropout(self.feed_forward(x)))",
        "return self.norm2(self.dropout(self.feed_forward(x)))",
        "layers.an_encoder_layer_agrees_with_torch",
    ),
    "normalization before the addition": (
        "layers",
        "return self.norm2(x + self.dropout(self.feed_forward(x)))",
        "return x + self.norm2(self.dropout(self.feed_forward(x)))",
        "layers.an_encoder_layer_agrees_with_torch",
    ),
    "one norm used twice": (
        "layers",
        "return self.norm3(",
        "return self.norm2(",
        "layers.a_decoder_layer_agrees_with_torch",
    ),
    "cross-attention looks at the target": (
        "layers",
        "self.cross_attn(x, memory, memory, src_mask)",
        "self.cross_attn(x, x, x, tgt_mask)",
        "layers.a_decoder_layer_agrees_with_torch",
    ),
    "cross-attention sees padding": (
        "layers",
        "self.cross_attn(x, memory, memory, src_mask)",
        "self.cross_attn(x, memory, memory)",
        "layers.a_decoder_layer_agrees_with_torch",
    ),
    "no dropout on the attention": (
        "layers",
        "x = self.norm1(x + self.dropout(self.self_attn(x, x, x, src_mask)))",
        "x = self.norm1(x + self.self_attn(x, x, x, src_mask))",
        "layers.dropout_falls_on_each_sublayers_output_and_on_nothing_else",
    ),
    "decoder without causal mask": (
        "model",
        "causal_mask(tgt.size(1), tgt.device) & ",
        "",
        "model.the_model_agrees_with_torch_to_the_last_digits",
    ),
    "encoder without padding mask": (
        "model",
        "self.encode(src, src_mask)",
        "self.encode(src)",
        "model.the_model_agrees_with_torch_to_the_last_digits",
    ),
    "embeddings not scaled": (
        "model",
        " * math.sqrt(self.config.d_model), start",
        ", start",
        "model.the_model_agrees_with_torch_to_the_last_digits",
    ),
    "output matrix cut off from the gradient": (
        "model",
        "linear(x, self.embedding.weight)",
        "linear(x, self.embedding.weight.detach())",
        "model.the_gradient_is_right",
    ),
    "one layer's weights used in all": (
        "model",
        "nn.ModuleList(parts.encoder_layer(config) for _ in depth)",
        "nn.ModuleList([parts.encoder_layer(config)] * config.num_layers)",
        "every_variant.recorded_weights_are_those_that_the_heads_used",
    ),
    "warm-up that falls": (
        "schedule",
        "step * warmup**-1.5",
        "step * warmup**-0.5",
        "training.the_rate_climbs_in_a_straight_line_and_falls_as_the_root_of_the_steps",
    ),
    "padding in the loss": (
        "training",
        "ignore_index=PAD_ID, ",
        "",
        "training.label_smoothing_is_cross_entropy_against_a_softened_distribution",
    ),
    "no label smoothing": (
        "training",
        "label_smoothing=smoothing",
        "label_smoothing=0.0",
        "training.label_smoothing_is_cross_entropy_against_a_softened_distribution",
    ),
    "Adam with its usual constants": (
        "training",
        "betas=(0.9, 0.98)",
        "betas=(0.9, 0.999)",
        "training.the_optimizer_has_the_papers_constants",
    ),
    "gradients pile up": (
        "training",
        "optimizer.zero_grad(set_to_none=True)",
        "pass",
        "training.a_model_learns_to_copy",
    ),
    "the rate never set": (
        "training",
        'group["lr"] = rate',
        "pass",
        "training.a_model_learns_to_copy",
    ),
    "target not shifted": (
        "batching",
        "[[*tgt, EOS_ID] for tgt",
        "[[BOS_ID, *tgt] for tgt",
        "batching.the_decoder_reads_bos_and_says_the_next_token",
    ),
    "no end mark on the source": (
        "batching",
        "[[*src, EOS_ID] for src",
        "[[*src] for src",
        "batching.the_decoder_reads_bos_and_says_the_next_token",
    ),
    "the cache forgets to reorder values": (
        "cache",
        "self.values.index_select(0, rows)",
        "self.values",
        "decoding.the_rows_of_a_beam_share_one_memory_and_may_change_places",
    ),
    "the cache keeps the wrong sentences": (
        "cache",
        "self.keys, self.values = self.keys[sentences], self.values[sentences]",
        "self.keys, self.values = self.keys[: len(sentences)], self.values[: len(sentences)]",
        "decoding.the_rows_of_a_beam_share_one_memory_and_may_change_places",
    ),
    "inputs of int8 without their scale": (
        "quantized",
        "torch.addcmul(self.bias, y, scale)",
        "y",
        "quantized.an_int8_map_multiplies_the_rounded_numbers_exactly",
    ),
    "one scale for all rows": (
        "quantized",
        "rows.abs().amax(-1, keepdim=True)",
        "rows.abs().max()",
        "quantized.rounding_to_int8_moves_a_number_by_half_a_unit_of_its_row_at_most",
    ),
    "the output's matrix left as it was": (
        "packed",
        'setattr(copied, "logits"',
        "dict(unused",
        "quantized.a_packed_model_translates_alike",
    ),
    "int8 read without its scale": (
        "checkpoint",
        " * weights.pop(",
        ".float(); weights.pop(",
        "export.every_weight_comes_back_within_half_a_unit_of_its_row",
    ),
    "dropout while decoding": (
        "decoding",
        "model.eval()",
        "model.train()",
        "decoding.greedy_takes_the_likeliest_token_each_time",
    ),
    "candidates from the best block only": (
        "likeliest",
        "topk(min(count, blocks.size(-2)))",
        "topk(1)",
        "decoding.a_beam_of_one_without_penalty_is_greedy",
    ),
    "no length penalty": (
        "hypotheses",
        "return ((5 + length) / 6) ** alpha",
        "return 1.0",
        "decoding.the_length_penalty_is_the_one_of_gnmt",
    ),
    "beam that stops at the first ending": (
        "hypotheses",
        "if len(finished) < beam:\n        return False\n",
        "if finished:\n        return True\n    return False\n",
        "decoding.a_wide_beam_finds_the_best_of_all_sentences",
    ),
    "hypotheses take each other's words": (
        "decoding",
        "rows = (kept[:, None] * beam + parents[kept]).flatten()",
        "rows = (kept[:, None] * beam + parents[kept].sort(-1).values).flatten()",
        "decoding.every_hypothesis_has_the_score_of_its_own_words",
    ),
    "dropout that depends on what came before": (
        "training",
        "        seed_step(config.seed, number, rank, device)\n",
        "",
        "training.training_goes_on_as_if_it_had_not_stopped",
    ),
    "a part of a batch averaged over itself": (
        "training",
        "return total / (num_tokens or (tgt_out != PAD_ID).sum())",
        "return total / (tgt_out != PAD_ID).sum()",
        "loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the loss's gradient without the true token": (
        "loss",
        "smoothing - 1)",
        "smoothing)",
        "loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the loss's gradient without the smoothed target": (
        "loss",
        ".sub_(even)",
        "",
        "loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the loss without its smoothed part": (
        "loss",
        "loss -= even",
        "loss -= 0.0",
        "loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the loss's gradient not divided by the tokens": (
        "loss",
        "= part * (",
        "= (",
        "loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "the matrix's gradient from the last chunk only": (
        "loss",
        "by_weight += too",
        "by_weight = too",
        "loss.the_loss_in_chunks_is_the_loss_and_has_its_gradients",
    ),
    "parts of a batch that overlap": (
        "batching",
        "ids[number::parts]",
        "ids[number:]",
        "distributed.gradient_accumulation_changes_no_loss",
    ),
    "gradients of one pass only": (
        "training",
        "            (share * world).backward()",
        "            optimizer.zero_grad()\n            (share * world).backward()",
        "distributed.gradient_accumulation_changes_no_loss",
    ),
    "resume without Adam's memory": (
        "checkpoint",
        '("step", "exp_avg", "exp_avg_sq")',
        '("step",)',
        "checkpoint.the_optimizer_comes_back",
    ),
    "resume replays the first batches": (
        "runs",
        "starting_at(self.step)",
        "starting_at(0)",
        "runs.a_run_cut_off_anywhere_goes_on_with_the_same_losses",
    ),
    "RoPE turned the other way": (
        "relative",
        "torch.complex(cosine, sine)",
        "torch.complex(cosine, -sine)",
        "relative.turning_is_a_multiplication_of_complex_numbers",
    ),
    "RoPE on the values": (
        "relative",
        "rotate(k, angles), v",
        "rotate(k, angles), rotate(v, angles)",
        "relative.rotary_attention_is_plain_attention_between_turned_queries_and_keys",
    ),
    "RoPE on the queries alone": (
        "relative",
        "rotate(k, angles), v",
        "k, v",
        "relative.rotary_attention_is_plain_attention_between_turned_queries_and_keys",
    ),
    "RoPE that pairs the halves": (
        "relative",
        "x.to(exact).unflatten(-1, (-1, 2))",
        "x.to(exact).unflatten(-1, (2, -1)).mT.contiguous()",
        "relative.turning_is_a_multiplication_of_complex_numbers",
    ),
    "RoPE with every cached token at position zero": (
        "relative",
        "self.table, start,",
        "self.table, 0,",
        "generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "RoPE across two sequences": (
        "parts",
        "cross_attn=cross_attention(config)",
        "cross_attn=self_attention(config)",
        "every_variant.no_logit_depends_on_a_later_token",
    ),
    "ALiBi that likes what is far": (
        "relative",
        "return -self.slopes",
        "return self.slopes",
        "relative.alibi_adds_what_its_paper_says",
    ),
    "ALiBi slopes in the other order": (
        "relative",
        "torch.arange(1, num_heads + 1)",
        "torch.arange(num_heads, 0, -1)",
        "relative.alibi_adds_what_its_paper_says",
    ),
    "ALiBi slopes counted from zero": (
        "relative",
        "torch.arange(1, num_heads + 1)",
        "torch.arange(num_heads)",
        "relative.alibi_adds_what_its_paper_says",
    ),
    "ALiBi with a cached query at the start": (
        "relative",
        "positions[k_len - q_len :, None]",
        "positions[:q_len, None]",
        "relative.a_cached_query_stands_at_the_end_of_its_keys",
    ),
    "ALiBi that takes a mirror image for the sentence": (
        "relative",
        "-2 * back",
        "-back",
        "relative.an_encoder_with_alibi_tells_a_sentence_from_its_mirror_image",
    ),
    "ALiBi lost where there is a mask": (
        "scaled_dot_product",
        'bias.masked_fill(~mask, float("-inf"))',
        "mask",
        "relative.half_precision_stays_half_precision",
    ),
    "key heads dealt out in turn, not in runs": (
        "scaled_dot_product",
        "    shared = query.shape[:-2] != key.shape[:-2]\n",
        "    shared = query.shape[:-2] != key.shape[:-2]\n"
        "    if shared:\n"
        "        times = query.size(-3) // key.size(-3)\n"
        "        key, value = key.repeat(1, times, 1, 1), value.repeat(1, times, 1, 1)\n",
        "variants.shared_heads_are_full_heads_whose_keys_and_values_are_repeated",
    ),
    "recorded key heads dealt out in turn": (
        "attention",
        "k.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)",
        "k.repeat(1, self.num_heads // self.num_kv_heads, 1, 1)",
        "variants.shared_heads_are_full_heads_whose_keys_and_values_are_repeated",
    ),
    "pre-norm without a norm at the end": (
        "parts",
        'NORMS[config.norm](config.d_model) if config.norm_placement == "pre" else nn.Identity()',
        "nn.Identity()",
        "variants.a_pre_norm_model_agrees_with_torch_norms_at_the_end_of_its_stacks_included",
    ),
    "pre-norm without a norm at the end of cached steps": (
        "cache",
        "self.model.decoder_norm(x[:, -1])",
        "x[:, -1]",
        "generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "pre-norm on the residual path too": (
        "variants",
        "x = x + self.dropout(self.self_attn(y, y, y, src_mask))",
        "x = y + self.dropout(self.self_attn(y, y, y, src_mask))",
        "variants.a_pre_norm_encoder_layer_agrees_with_torch",
    ),
    "pre-norm that normalizes the memory again": (
        "variants",
        "(self.norm2(x), memory, memory, src_mask)",
        "(self.norm2(x), self.norm2(memory), self.norm2(memory), src_mask)",
        "variants.a_pre_norm_decoder_layer_agrees_with_torch",
    ),
    "RMSNorm that centers": (
        "variants",
        "return x * (x.square()",
        "x = x - x.mean(-1, keepdim=True)\n        return x * (x.square()",
        "variants.rms_norm_agrees_with_torch",
    ),
    "RMSNorm without eps": (
        "variants",
        " + self.eps).rsqrt()",
        ").rsqrt()",
        "variants.rms_norm_agrees_with_torch",
    ),
    "a gate without its activation": (
        "variants",
        "self.activation(self.gate(x))",
        "self.gate(x)",
        "variants.a_gate_multiplies_what_passes",
    ),
    "GeGLU that is SwiGLU": (
        "parts",
        "partial(GatedFeedForward, activation=F.gelu)",
        "partial(GatedFeedForward, activation=F.silu)",
        "config.each_activation_is_the_one_that_its_name_says",
    ),
    "online softmax that does not rescale the mixture": (
        "flash",
        "mixed * shrink",
        "mixed",
        "flash.tile_by_tile_gives_the_exact_mixture",
    ),
    "online softmax that does not rescale the sum": (
        "flash",
        "total * shrink",
        "total",
        "flash.tile_by_tile_gives_the_exact_mixture",
    ),
    "online softmax with the maximum of one tile": (
        "flash",
        "torch.maximum(highest, scores.detach().amax(-1, keepdim=True))",
        "scores.detach().amax(-1, keepdim=True)",
        "flash.tile_by_tile_gives_the_exact_mixture",
    ),
    "online softmax without a maximum": (
        "flash",
        'reference = higher.masked_fill(higher == float("-inf"), 0.0)',
        "reference = torch.zeros_like(higher)",
        "flash.tile_by_tile_gives_the_exact_mixture",
    ),
    "loss over all tokens, hidden or not": (
        "encoder_only",
        "logits[chosen].float(), ids[chosen]",
        "logits.flatten(0, 1).float(), ids.flatten()",
        "encoder_only.the_loss_counts_the_chosen_tokens_and_no_others",
    ),
    "end marks to guess": (
        "encoder_only",
        " & ~torch.isin(ids, ids.new_tensor(special_ids))",
        "",
        "encoder_only.fifteen_in_a_hundred_ordinary_tokens_are_chosen",
    ),
    "every chosen token hidden": (
        "encoder_only",
        "(fate < 0.8), mask_id",
        "(fate < 2), mask_id",
        "encoder_only.of_these_eight_in_ten_are_hidden_one_is_swapped_and_one_stays",
    ),
    "an encoder alone that sees padding": (
        "encoder_only",
        "x = layer(x, mask)",
        "x = layer(x)",
        "every_variant.padding_on_the_right_is_invisible",
    ),
    "a decoder alone that sees the future": (
        "decoder_only",
        "causal_mask(ids.size(1), ids.device) & ",
        "",
        "generation.a_decoder_alone_is_torchs_encoder_under_a_causal_mask",
    ),
    "a prompt that sees its own future": (
        "cache",
        "[-ids.size(1) :] if ids.size(1) > 1 else None",
        "[-ids.size(1) :] if ids.size(1) > 99 else None",
        "generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "a temperature that sharpens as it rises": (
        "generation",
        "(logits / temperature)",
        "(logits * temperature)",
        "generation.tokens_are_drawn_as_often_as_the_model_says",
    ),
    "a short prompt that waits for no one": (
        "generation",
        "if place < lengths[sentence]:",
        "if place < min(lengths):",
        "generation.greedy_takes_the_likeliest_token_after_each_prompt_and_what_it_wrote",
    ),
    "weights of one variant taken for another": (
        "checkpoint",
        'if name not in ("dropout", "max_len") and',
        "if not name and",
        "checkpoint.weights_of_one_variant_as_another_are_refused_by_the_first_difference",
    ),
}


Verdict = tuple[int, str]  # pytest's exit code, and what it printed


def node(seen_by: str) -> str:
    """A test by pytest's name for it."""
    module, test = seen_by.split(".")
    return f"{ROOT}/tests/test_{module}.py::test_{test}"


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
    copy.mkdir()
    for path in (ROOT / "transformer_course").iterdir():
        (copy / path.name).symlink_to(path)
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
    code, said = verdicts[name].get(PATIENCE)
    assert code == 1, f"{MUTATIONS[name][-1]} does not see it:\n{said}"
    assert "failed" in said
