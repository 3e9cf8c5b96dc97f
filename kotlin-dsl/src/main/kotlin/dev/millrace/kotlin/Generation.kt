package dev.millrace.kotlin

import dev.millrace.session.Inference
import dev.millrace.session.generate.DecoderSignature
import dev.millrace.session.generate.Generation
import dev.millrace.session.generate.GenerationOptions
import dev.millrace.session.generate.Generator
import dev.millrace.session.generate.GeneratorOptions
import dev.millrace.session.generate.Token
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.reactive.asFlow
import kotlinx.coroutines.reactor.awaitSingle

/** Tokens behind a prompt, each generated as it is collected; cancelling the collection stops the run under way. */
public fun Generator.tokens(
    prompt: LongArray,
    options: GenerationOptions = GenerationOptions.defaults(),
): Flow<Token> = flux(prompt, options).asFlow().buffer(0)

/** All tokens behind a prompt, without blocking the caller's thread. */
public suspend fun Generator.generate(
    prompt: LongArray,
    options: GenerationOptions = GenerationOptions.defaults(),
): Generation = mono(prompt, options).awaitSingle()

/**
 * A generator: `session.generator()`, or `session.generator { ids("tokens"); contextLength(2048) }`. Around a session that is
 * replaced, a generation ends on the session on which it began.
 */
public fun Inference.generator(
    options: GeneratorOptions = GeneratorOptions.defaults(),
    signature: DecoderSignature.Builder.() -> Unit = {},
): Generator = Generator.of(this, { it.signature() }, options)
