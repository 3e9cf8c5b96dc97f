package dev.millrace.kotlin

import dev.millrace.graph.EngineException
import dev.millrace.graph.tensor.Datum
import dev.millrace.graph.tensor.Shape
import dev.millrace.session.Inputs

/**
 * Inputs by name: `inputs("input_ids" to ids, "scale" to 1f, "x" to arrayOf(floatArrayOf(1f, 2f)))`. A value is a [Datum], an
 * array of numbers, booleans or strings, an array of such arrays, or a single one of them.
 */
public fun inputs(vararg values: Pair<String, Any>): Inputs =
    values.fold(Inputs.empty()) { all, (name, value) -> all.and(name, datumOf(value)) }

/**
 * Inputs one after the other, where they are computed or depend on something:
 * `inputs { "sr" of 16000L; floats("input", 1, 512) { samples[it] }; if (state != null) "state" of state }`.
 */
public fun inputs(configure: InputsBuilder.() -> Unit): Inputs = InputsBuilder().apply(configure).build()

/** The inputs of a run while they are being put together. One that is named again replaces what it was. */
@MillraceDsl
public class InputsBuilder internal constructor() {
    private val inputs = Inputs.empty()

    /** Names an input: a [Datum], an array of numbers, booleans or strings, an array of such arrays, or a single one of them. */
    public infix fun String.of(value: Any) {
        inputs.and(this, datumOf(value))
    }

    /** A float input of these extents, element by element. */
    public fun floats(
        name: String,
        vararg dims: Int,
        element: (Int) -> Float,
    ) {
        val shape = shapeOf(dims)
        name of FloatArray(elements(shape), element).toTensor(*shape.toArray())
    }

    /** A 64-bit integer input of these extents, element by element. */
    public fun longs(
        name: String,
        vararg dims: Int,
        element: (Int) -> Long,
    ) {
        val shape = shapeOf(dims)
        name of LongArray(elements(shape), element).toTensor(*shape.toArray())
    }

    internal fun build(): Inputs = inputs

    private fun shapeOf(dims: IntArray): Shape = Shape.of(*LongArray(dims.size) { dims[it].toLong() })

    private fun elements(shape: Shape): Int {
        if (shape.elements() > Int.MAX_VALUE) {
            throw EngineException.invalidArgument("an input of shape $shape does not fit an array")
        }
        return shape.elements().toInt()
    }
}

private fun datumOf(value: Any): Datum = value as? Datum ?: tensorOf(value)
