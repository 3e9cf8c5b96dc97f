package dev.millrace.kotlin

import dev.millrace.pipelines.ScoredLabel
import dev.millrace.pipelines.Stage
import dev.millrace.pipelines.text.CrossEncoder
import dev.millrace.pipelines.text.FoundAnswer
import dev.millrace.pipelines.text.MaskFiller
import dev.millrace.pipelines.text.Question
import dev.millrace.pipelines.text.QuestionAnswerer
import dev.millrace.pipelines.text.RankedText
import dev.millrace.pipelines.text.TextClassifier
import dev.millrace.pipelines.text.TextSpan
import dev.millrace.pipelines.text.TokenClassifier
import dev.millrace.session.Inference
import dev.millrace.text.Tokenizer
import kotlinx.coroutines.reactor.awaitSingle

/** A cross-encoder: `session.crossEncoder(tokenizer).ranked(query, passages)`. */
public fun Inference.crossEncoder(tokenizer: Tokenizer): CrossEncoder = CrossEncoder.of(this, tokenizer)

/** The passages by their relevance to a query, without blocking the caller's thread. */
public suspend fun CrossEncoder.ranked(
    query: String,
    passages: List<String>,
): List<RankedText> = rankMono(query, passages).awaitSingle()

/** A stage from a text to its most likely classes. */
public fun Inference.textClassifier(
    tokenizer: Tokenizer,
    labels: List<String>,
    top: Int = 1,
): Stage<String, List<ScoredLabel>> = TextClassifier.of(this, tokenizer, labels, top)

/** A stage from a text to its named parts; labels begin with `B-` and `I-`. */
public fun Inference.tokenClassifier(
    tokenizer: Tokenizer,
    labels: List<String>,
): Stage<String, List<TextSpan>> = TokenClassifier.of(this, tokenizer, labels)

/** A stage from a question and a passage of any length to the part of the passage that answers it. */
public fun Inference.questionAnswerer(
    tokenizer: Tokenizer,
    mostTokens: Int = 384,
    overlap: Int = 128,
): Stage<Question, FoundAnswer> = QuestionAnswerer.of(this, tokenizer, mostTokens, overlap)

/** A stage from a text with a gap to the tokens that fill it. */
public fun Inference.maskFiller(
    tokenizer: Tokenizer,
    gap: String = "[MASK]",
    top: Int = 5,
): Stage<String, List<ScoredLabel>> = MaskFiller.of(this, tokenizer, gap, top)
