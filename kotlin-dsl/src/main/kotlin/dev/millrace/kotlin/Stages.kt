package dev.millrace.kotlin

import dev.millrace.pipelines.Stage
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.reactor.awaitSingle

/** The result of a value, computed on this thread: `val top = classifier(image)`. */
public operator fun <I : Any, O : Any> Stage<I, O>.invoke(value: I): O = run(value)

/** The result of a value, without blocking the caller's thread; cancelling the coroutine stops the run. */
public suspend fun <I : Any, O : Any> Stage<I, O>.infer(value: I): O = mono(value).awaitSingle()

/** The results of values in their order, computed as they are collected. Values are collected where results are. */
public fun <I : Any, O : Any> Flow<I>.infer(stage: Stage<I, O>): Flow<O> = streamed { stage.flux(it) }
