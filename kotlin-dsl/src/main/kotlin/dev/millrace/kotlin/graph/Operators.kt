package dev.millrace.kotlin.graph

import dev.millrace.graph.EngineException
import dev.millrace.graph.ir.OpId
import dev.millrace.graph.tensor.ElementType

/** The larger of each element and 0. */
public fun GraphScope.relu(x: GraphValue): GraphValue = op(OpId.RELU.name(), x)

public fun GraphScope.sigmoid(x: GraphValue): GraphValue = op("Sigmoid", x)

public fun GraphScope.tanh(x: GraphValue): GraphValue = op("Tanh", x)

public fun GraphScope.gelu(x: GraphValue): GraphValue = op("Gelu", x)

public fun GraphScope.sqrt(x: GraphValue): GraphValue = op("Sqrt", x)

public fun GraphScope.exp(x: GraphValue): GraphValue = op("Exp", x)

public fun GraphScope.softmax(
    x: GraphValue,
    axis: Int = -1,
): GraphValue = op("Softmax", x) { attribute("axis", axis) }

/** The values converted to another element type. */
public fun GraphScope.cast(
    x: GraphValue,
    to: ElementType,
): GraphValue = op("Cast", x) { attribute("to", to.code()) }

/** The elements in another shape; an extent of -1 is inferred, one of 0 stays as it is. */
public fun GraphScope.reshape(
    x: GraphValue,
    vararg extents: Long,
): GraphValue = op("Reshape", x, constant(extents))

/** The transpose, with the axes in a given order; by default reversed. */
public fun GraphScope.transpose(
    x: GraphValue,
    vararg order: Long,
): GraphValue = op("Transpose", x) { if (order.isNotEmpty()) attribute("perm", order) }

/** The concatenation of values along an axis. */
public fun GraphScope.concat(
    axis: Int,
    vararg values: GraphValue,
): GraphValue = op("Concat", *values) { attribute("axis", axis) }

/** The means along axes, which stay with an extent of 1; by default of all elements. */
public fun GraphScope.mean(
    x: GraphValue,
    vararg axes: Long,
): GraphValue = op("ReduceMean", x, axes.takeIf { it.isNotEmpty() }?.let { constant(it) })

/** The sums along axes, which stay with an extent of 1; by default of all elements. */
public fun GraphScope.sum(
    x: GraphValue,
    vararg axes: Long,
): GraphValue = op("ReduceSum", x, axes.takeIf { it.isNotEmpty() }?.let { constant(it) })

/** The elements at indices along an axis. */
public fun GraphScope.gather(
    x: GraphValue,
    indices: GraphValue,
    axis: Int = 0,
): GraphValue = op("Gather", x, indices) { attribute("axis", axis) }

/**
 * A convolution: `conv(image, weights, bias, strides = longArrayOf(2, 2), pads = longArrayOf(1, 1, 1, 1))`. Attributes
 * that are not given have ONNX's defaults.
 */
public fun GraphScope.conv(
    x: GraphValue,
    weights: GraphValue,
    bias: GraphValue? = null,
    strides: LongArray? = null,
    pads: LongArray? = null,
    dilations: LongArray? = null,
    group: Int = 1,
): GraphValue {
    val inputs = listOfNotNull(x, weights, bias).toTypedArray()
    return op("Conv", *inputs) {
        strides?.let { attribute("strides", it) }
        pads?.let { attribute("pads", it) }
        dilations?.let { attribute("dilations", it) }
        attribute("group", group)
    }
}

/** The parts of a value along an axis, of these extents. */
public fun GraphScope.split(
    x: GraphValue,
    axis: Int,
    vararg extents: Long,
): List<GraphValue> {
    if (extents.isEmpty()) {
        throw EngineException.invalidGraph("a split of '${x.name}' into no parts; say their extents")
    }
    return ops("Split", extents.size, x, constant(extents)) { attribute("axis", axis) }
}
