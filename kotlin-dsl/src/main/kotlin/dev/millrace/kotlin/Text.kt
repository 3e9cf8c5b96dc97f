package dev.millrace.kotlin

import dev.millrace.session.generate.GenerationOptions
import dev.millrace.text.Chat
import dev.millrace.text.ChatDelta
import dev.millrace.text.ChatGenerator
import dev.millrace.text.ChatMessage
import dev.millrace.text.Completion
import dev.millrace.text.TextGenerator
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.reactive.asFlow
import kotlinx.coroutines.reactor.awaitSingle

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
