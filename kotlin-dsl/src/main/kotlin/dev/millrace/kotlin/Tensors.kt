package dev.millrace.kotlin

import dev.millrace.graph.EngineException
import dev.millrace.graph.tensor.ByteLayouts
import dev.millrace.graph.tensor.ElementType
import dev.millrace.graph.tensor.NestedArrays
import dev.millrace.graph.tensor.Shape
import dev.millrace.graph.tensor.Tensor
import dev.millrace.graph.tensor.TensorParts
import dev.millrace.session.Outputs
import java.lang.foreign.MemorySegment

/** A number of a tensor: `t[0, 1]`. */
public operator fun Tensor.get(vararg index: Long): Double = TensorParts.number(this, *index)

/** A number of a tensor, by indices that are counted in `Int`. */
public operator fun Tensor.get(
    first: Int,
    vararg others: Int,
): Double = TensorParts.number(this, *longs(first, others))

/** An extent: `t.shape()[0]`. */
public operator fun Shape.get(axis: Int): Long = dim(axis)

/**
 * An output by its type: arrays of arrays, a flat array, or the one element that it has, as in
 * `outputs.value<Array<FloatArray>>("y")` and `outputs.value<Float>("score")`.
 */
public inline fun <reified T : Any> Outputs.value(name: String): T = get(name).value()

/** The elements by their type: arrays of arrays, a flat array, or the one element that there is. */
public inline fun <reified T : Any> Tensor.value(): T = valueOf(this, T::class.javaObjectType)

@PublishedApi
internal fun <T : Any> valueOf(
    tensor: Tensor,
    kind: Class<T>,
): T {
    if (kind.isArray) {
        return NestedArrays.fromTensor(tensor, kind)
    }
    if (tensor.elements() != 1L) {
        throw EngineException.invalidArgument("a $tensor has ${tensor.elements()} elements, not one: ask for an array")
    }
    val element = elementOf(tensor, kind)
    if (!kind.isInstance(element)) {
        throw EngineException.invalidArgument("a $tensor is a ${element.javaClass.simpleName}, no ${kind.simpleName}")
    }
    return kind.cast(element)
}

private fun elementOf(
    tensor: Tensor,
    kind: Class<*>,
): Any =
    when {
        tensor.type() == ElementType.DOUBLE -> tensor.doubles()[0]
        tensor.type().isFloating -> tensor.floats()[0]
        tensor.type() == ElementType.BOOL -> tensor.booleans()[0]
        tensor.type() == ElementType.STRING -> tensor.strings()[0]
        kind == Int::class.javaObjectType -> tensor.ints()[0]
        else -> tensor.longs()[0]
    }

/** A float tensor of these extents over a copy of the array; of one axis where none are given. */
public fun FloatArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

/** A float tensor of these extents over a copy of the array. */
public fun FloatArray.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

/** A 64-bit integer tensor of these extents over a copy of the array; of one axis where none are given. */
public fun LongArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

/** A 64-bit integer tensor of these extents over a copy of the array. */
public fun LongArray.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

/** A 32-bit integer tensor of these extents over a copy of the array; of one axis where none are given. */
public fun IntArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

/** A 32-bit integer tensor of these extents over a copy of the array. */
public fun IntArray.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

/** A 64-bit float tensor of these extents over a copy of the array; of one axis where none are given. */
public fun DoubleArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

/** A 64-bit float tensor of these extents over a copy of the array. */
public fun DoubleArray.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

/** An 8-bit integer tensor of these extents over a copy of the array; of one axis where none are given. */
public fun ByteArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

/** An 8-bit integer tensor of these extents over a copy of the array. */
public fun ByteArray.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

/** A boolean tensor of these extents over a copy of the array; of one axis where none are given. */
public fun BooleanArray.toTensor(vararg dims: Long): Tensor = Tensor.copyOf(this, *shapeOr(dims, size))

/** A boolean tensor of these extents over a copy of the array. */
public fun BooleanArray.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

/** A 16-bit integer tensor of these extents over a copy of the array; of one axis where none are given. */
public fun ShortArray.toTensor(vararg dims: Long): Tensor =
    filled(ElementType.INT16, shapeOr(dims, size), size) { MemorySegment.copy(this, 0, it, ByteLayouts.SHORT, 0, size) }

/** A 16-bit integer tensor of these extents over a copy of the array. */
public fun ShortArray.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

/** A tensor of unsigned bytes, as of an image, of these extents over a copy of the array; of one axis where none are given. */
@ExperimentalUnsignedTypes
public fun UByteArray.toTensor(vararg dims: Long): Tensor =
    filled(ElementType.UINT8, shapeOr(dims, size), size) {
        MemorySegment.copy(asByteArray(), 0, it, ByteLayouts.BYTE, 0, size)
    }

/** A tensor of unsigned bytes of these extents over a copy of the array. */
@ExperimentalUnsignedTypes
public fun UByteArray.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

/** A tensor of texts of these extents; of one axis where none are given. */
public fun Array<String>.toTensor(vararg dims: Long): Tensor = Tensor.ofStrings(Shape.of(*shapeOr(dims, size)), *this)

/** A tensor of texts of these extents. */
public fun Array<String>.toTensor(
    first: Int,
    vararg others: Int,
): Tensor = toTensor(*longs(first, others))

internal fun tensorOf(value: Any): Tensor =
    when (value) {
        is Float -> Tensor.scalar(value)
        is Long -> Tensor.scalar(value)
        is Boolean -> Tensor.scalar(value)
        is Int -> Tensor.copyOf(intArrayOf(value), *longArrayOf())
        is Double -> Tensor.copyOf(doubleArrayOf(value), *longArrayOf())
        is String -> Tensor.ofStrings(Shape.SCALAR, value)
        else -> NestedArrays.toTensor(value)
    }

private fun filled(
    type: ElementType,
    dims: LongArray,
    values: Int,
    fill: (MemorySegment) -> Unit,
): Tensor {
    val shape = Shape.of(*dims)
    if (shape.elements() != values.toLong()) {
        throw EngineException.invalidArgument("$values values do not fill shape $shape")
    }
    return Tensor.allocate(type, shape).apply { fill(segment()) }
}

private fun shapeOr(
    dims: LongArray,
    size: Int,
): LongArray = if (dims.isEmpty()) longArrayOf(size.toLong()) else dims

private fun longs(
    first: Int,
    others: IntArray,
): LongArray = LongArray(1 + others.size) { if (it == 0) first.toLong() else others[it - 1].toLong() }
