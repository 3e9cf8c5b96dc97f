package dev.millrace.kotlin

import dev.millrace.graph.tensor.Datum
import dev.millrace.graph.tensor.Tensor
import dev.millrace.session.Inputs
import dev.millrace.session.Outputs
import dev.millrace.session.Session
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.reactive.asFlow
import kotlinx.coroutines.reactor.asFlux
import kotlinx.coroutines.reactor.awaitSingle

/** Inputs by name: `inputs("input_ids" to ids, "attention_mask" to mask)`. */
public fun inputs(vararg values: Pair<String, Datum>): Inputs =
    values.fold(Inputs.empty()) { all, (name, value) -> all.and(name, value) }

/** Runs without blocking the caller's thread; cancelling the coroutine stops the run. */
public suspend fun Session.infer(given: Inputs): Outputs = mono(given).awaitSingle()

/** Runs for each request as answers are collected, in order; cancelling the collection stops the runs under way. */
public fun Flow<Inputs>.infer(session: Session): Flow<Outputs> = session.flux(asFlux()).asFlow()

/** A float tensor of these extents over a copy of the array. */
public fun FloatArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

/** A 64-bit integer tensor of these extents over a copy of the array. */
public fun LongArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

/** A 32-bit integer tensor of these extents over a copy of the array. */
public fun IntArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

private fun shapeOr(
    dims: LongArray,
    size: Int,
): LongArray = if (dims.isEmpty()) longArrayOf(size.toLong()) else dims
