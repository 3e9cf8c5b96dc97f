package dev.millrace.kotlin

import dev.millrace.session.Inference
import dev.millrace.session.generate.GenerationOptions
import dev.millrace.text.Chat
import dev.millrace.text.ChatDelta
import dev.millrace.text.ChatGenerator
import dev.millrace.text.ChatMessage
import dev.millrace.text.Completion
import dev.millrace.text.Embedder
import dev.millrace.text.TextGenerator
import dev.millrace.text.Tokenizer
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.reactive.asFlow
import kotlinx.coroutines.reactor.awaitSingle

/** An embedder of texts: `session.embedder(tokenizer)`. */
public fun Inference.embedder(tokenizer: Tokenizer): Embedder = Embedder.of(this, tokenizer)

/** The vector of a text, without blocking the caller's thread. */
public suspend fun Embedder.embedding(text: String): FloatArray = mono(text).awaitSingle()

/** The vectors of texts in their order; several texts share a run. */
public fun Flow<String>.embeddings(embedder: Embedder): Flow<FloatArray> = streamed { embedder.flux(it) }

/** A generator of text: `session.textGenerator(tokenizer)`. */
public fun Inference.textGenerator(tokenizer: Tokenizer): TextGenerator = TextGenerator.of(this, tokenizer)

/** Pieces of the text behind a prompt, generated as they are collected; cancelling the collection stops the run under way. */
public fun TextGenerator.pieces(
    prompt: String,
    options: GenerationOptions = GenerationOptions.defaults(),
): Flow<String> = flux(prompt, options).asFlow().buffer(0)

/** The whole text behind a prompt, without blocking the caller's thread. */
public suspend fun TextGenerator.generate(
    prompt: String,
    options: GenerationOptions = GenerationOptions.defaults(),
): Completion = mono(prompt, options).awaitSingle()

/** Parts of the answer to messages, generated as they are collected. */
public fun ChatGenerator.deltas(
    messages: List<ChatMessage>,
    options: GenerationOptions = GenerationOptions.defaults(),
): Flow<ChatDelta> = flux(messages, options).asFlow().buffer(0)

/** The answer to messages, without blocking the caller's thread. */
public suspend fun ChatGenerator.answer(
    messages: List<ChatMessage>,
    options: GenerationOptions = GenerationOptions.defaults(),
): Completion = mono(messages, options).awaitSingle()

/** Parts of the answer to a text. The chat keeps both when the flow completes. */
public fun Chat.deltas(text: String): Flow<ChatDelta> = stream(text).asFlow().buffer(0)
