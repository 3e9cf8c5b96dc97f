package dev.millrace.kotlin

import dev.millrace.graph.EngineException
import dev.millrace.graph.tensor.Shape
import dev.millrace.graph.tensor.Tensor
import dev.millrace.session.BatchedSession
import dev.millrace.session.Engine
import dev.millrace.session.FluxOptions
import dev.millrace.session.Inference
import dev.millrace.session.Inputs
import dev.millrace.session.Outputs
import dev.millrace.session.RunOptions
import dev.millrace.session.RunResult
import dev.millrace.session.Session
import dev.millrace.session.State
import dev.millrace.session.StateOptions
import dev.millrace.session.StatefulSession
import dev.millrace.session.ValueInfo
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Job
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.reactive.asFlow
import kotlinx.coroutines.reactor.asFlux
import kotlinx.coroutines.reactor.awaitSingle
import reactor.core.publisher.Flux
import java.util.concurrent.Executor

/** Runs without blocking the caller's thread; cancelling the coroutine stops the run. */
public suspend fun Inference.infer(
    given: Inputs,
    options: RunOptions = RunOptions.defaults(),
): Outputs = mono(given, options).awaitSingle()

/**
 * Runs each request as answers are collected; cancelling the collection stops the runs under way. No more answers are
 * computed ahead of the collector than are under way at once. Requests are collected where answers are: their flow
 * runs on the collector's dispatcher.
 */
public fun Flow<Inputs>.infer(
    inference: Inference,
    options: FluxOptions = FluxOptions.defaults(),
): Flow<Outputs> = streamed { inference.flux(it, options.forFlow(inference)) }

/**
 * Runs each request as [infer] does and emits one result per request, an answer or a failure, so a
 * refused request does not end the flow.
 */
public fun Flow<Inputs>.results(
    inference: Inference,
    options: FluxOptions = FluxOptions.defaults(),
): Flow<RunResult> = streamed { inference.results(it, options.forFlow(inference)) }

/**
 * Hands this flow to a stream. It is collected in the collector's context: the engine requests values on its own threads, where no
 * coroutine may run because it could block there.
 */
internal fun <I : Any, O : Any> Flow<I>.streamed(results: (Flux<I>) -> Flux<O>): Flow<O> =
    flow {
        val collectors = currentCoroutineContext().minusKey(Job)
        emitAll(results(asFlux(collectors)).asFlow().buffer(0))
    }

/**
 * Returns options whose prefetch fills the concurrency: a collector requests one answer at a time, and the
 * others under way are computed ahead.
 */
private fun FluxOptions.forFlow(inference: Inference): FluxOptions {
    val width = if (concurrency() == 0) inference.concurrency() else concurrency()
    return if (prefetch() > 0) this else toBuilder().prefetch(width - 1).build()
}

/**
 * Returns a session for sequences: `session.stateful("stateN" to "state")`, outputs to inputs, beginning with zeros.
 */
public fun Session.stateful(
    vararg states: Pair<String, String>,
    options: StateOptions = StateOptions.defaults(),
): StatefulSession = stateful(options, *states.map { (output, input) -> State.carry(output, input) }.toTypedArray())

/**
 * Returns a session for sequences whose elements run together: `session.batched(how).stateful("stateN" to "state")`.
 */
public fun BatchedSession.stateful(
    vararg states: Pair<String, String>,
    options: StateOptions = StateOptions.defaults(),
): StatefulSession = stateful(options, *states.map { (output, input) -> State.carry(output, input) }.toTypedArray())

/** Answers the elements of one sequence, which begins with the collection and ends with it. */
public fun Flow<Inputs>.infer(
    sequences: StatefulSession,
    options: FluxOptions = FluxOptions.defaults(),
): Flow<Outputs> = streamed { sequences.flux(it, options) }

/** Composes this with a next one: `encoder.then(head, "last_hidden_state" to "hidden")`, outputs to inputs. */
public fun Inference.then(
    next: Inference,
    vararg inputsByOutput: Pair<String, String>,
): Inference = if (inputsByOutput.isEmpty()) then(next) else then(next, inputsByOutput.toMap())

/** Prepares for requests of these shapes: `session.warmUp("input_ids" to longArrayOf(1, 128))`. */
public fun Session.warmUp(vararg shapes: Pair<String, LongArray>): Unit =
    warmUp(shapes.associate { (name, extents) -> name to Shape.of(*extents) })

/** A dispatcher of the engine's run threads, for work between runs; nothing on them may block. */
public val Engine.dispatcher: CoroutineDispatcher
    get() {
        val scheduler = scheduler()
        return Executor { task -> scheduler.schedule(task) }.asCoroutineDispatcher()
    }

/** The first output: `val (logits, hidden) = outputs`. */
public operator fun Outputs.component1(): Tensor = get(0)

/** The second output. */
public operator fun Outputs.component2(): Tensor = get(1)

/** The third output. */
public operator fun Outputs.component3(): Tensor = get(2)

/** The fourth output. */
public operator fun Outputs.component4(): Tensor = get(3)

/** Returns an input or an output by its name: `session.inputs()["x"]`. */
public operator fun List<ValueInfo>.get(name: String): ValueInfo =
    firstOrNull { it.name() == name }
        ?: throw EngineException.invalidArgument("there is no '$name'; there are ${map { it.name() }}")
