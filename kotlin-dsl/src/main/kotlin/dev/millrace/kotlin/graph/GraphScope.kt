package dev.millrace.kotlin.graph

import dev.millrace.graph.EngineException
import dev.millrace.graph.infer.Facts
import dev.millrace.graph.infer.TypeInference
import dev.millrace.graph.ir.Attribute
import dev.millrace.graph.ir.Dim
import dev.millrace.graph.ir.Graph
import dev.millrace.graph.ir.GraphEditor
import dev.millrace.graph.ir.Node
import dev.millrace.graph.ir.NodeSpec
import dev.millrace.graph.ir.OpId
import dev.millrace.graph.ir.SymbolicShape
import dev.millrace.graph.ir.Value
import dev.millrace.graph.ir.ValueType
import dev.millrace.graph.op.SchemaCheck
import dev.millrace.graph.tensor.ElementType
import dev.millrace.graph.tensor.Tensor
import dev.millrace.kotlin.MillraceDsl
import dev.millrace.kotlin.tensorOf

/** A value of a graph that is being built: an input, a constant, or an output of a node. */
public class GraphValue internal constructor(
    internal val value: Value,
) {
    public val name: String get() = value.name()

    /** The type as far as it is known, or null if nothing is known. */
    public val type: ValueType? get() = value.type()

    override fun toString(): String = value.toString()
}

/**
 * A graph that is being built. Nested graphs, of `If` and `Loop`, read the values of the graphs around them; a
 * node goes into the innermost graph.
 */
@MillraceDsl
public class GraphScope internal constructor(
    private val graph: Graph,
    private val opsets: Opsets,
) {
    private val editor = GraphEditor(graph)
    private var isWritten = false

    internal fun <T> write(body: GraphScope.() -> T): T = body().also { isWritten = true }

    /** Adds an input. An extent is a number, the name of a symbolic one, or null for an unnamed one. */
    public fun input(
        name: String,
        type: ElementType,
        vararg extents: Any?,
    ): GraphValue {
        val dims =
            extents.map {
                when (it) {
                    is Int -> Dim.of(it.toLong())

                    is Long -> Dim.of(it)

                    is String -> Dim.symbol(it)

                    null -> Dim.UNKNOWN

                    else -> throw EngineException.invalidGraph(
                        "an extent of input '$name' is $it; it is a number, a name or null",
                    )
                }
            }
        return input(name, ValueType.tensor(type, SymbolicShape(dims)))
    }

    /** Adds an input of any type, such as a sequence; null for an undeclared type. */
    public fun input(
        name: String,
        type: ValueType?,
    ): GraphValue {
        open()
        if (graph.inputs().any { it.name() == name }) {
            throw EngineException.invalidGraph("it has two inputs that are called '$name'")
        }
        return GraphValue(editor.addInput(name, type))
    }

    /** Adds a constant: a [Tensor], a number, a boolean, a string, an array of such, or an array of such arrays. */
    public fun constant(
        value: Any,
        name: String = "constant_${opsets.next()}",
    ): GraphValue {
        open()
        return GraphValue(editor.addConstant(name, value as? Tensor ?: tensorOf(value)))
    }

    /** Makes a value an output of the graph. */
    public fun output(
        name: String,
        value: GraphValue,
    ) {
        open()
        if (name in graph.outputNames()) {
            throw EngineException.invalidGraph("it has two outputs that are called '$name'")
        }
        val own = reachable(value, "output '$name'")
        // an output of a nested graph has to be produced in it
        editor.addOutput(name, if (own.graph() === graph) own else op("Identity", value).value)
    }

    /**
     * Adds a node of any operator and returns its first output: `op("Gelu", x) { attribute("approximate", "tanh") }`.
     */
    public fun op(
        type: String,
        vararg inputs: GraphValue?,
        domain: String = OpId.ONNX,
        name: String? = null,
        attributes: AttributeScope.() -> Unit = {},
    ): GraphValue = ops(type, 1, *inputs, domain = domain, name = name, attributes = attributes)[0]

    /** Adds a node of any operator and returns its first [outputs] outputs. An input that is null is left out. */
    public fun ops(
        type: String,
        outputs: Int,
        vararg inputs: GraphValue?,
        domain: String = OpId.ONNX,
        name: String? = null,
        attributes: AttributeScope.() -> Unit = {},
    ): List<GraphValue> {
        open()
        val operator = OpId(domain, type)
        val called = name ?: "${type}_${opsets.next()}"
        val opset = opsets.of(operator, called)
        val read = inputs.map { it?.let { value -> reachable(value, "node '$called' ($type)") } }
        val given = AttributeScope(graph, opsets).apply(attributes).attributes
        val bare = NodeSpec.of(operator, opset, read).named(called)
        val spec = given.entries.fold(bare) { all, (key, value) -> all.with(key, value) }
        val names = List(outputs) { if (it == 0) called else "${called}_$it" }
        val node = editor.append(spec, names)
        check(node)
        return List(outputs) { GraphValue(node.requireOutput(it)) }
    }

    /** Checks a node against its operator's schema, and infers the types of its outputs. */
    private fun check(node: Node) {
        val said = SchemaCheck.check(node)
        said.orThrow()
        if (said.unknown().isNotEmpty()) {
            throw EngineException.invalidGraph(said.warnings().joinToString("; "))
        }
        val facts =
            object : Facts {
                override fun type(input: Int): ValueType? = node.input(input)?.type()

                override fun value(input: Int): Tensor? = node.input(input)?.constant()
            }
        TypeInference.outputs(node, facts).forEachIndexed {
            index,
            type,
            ->
            editor.setType(node.requireOutput(index), type)
        }
    }

    private fun open() {
        if (isWritten) {
            throw EngineException.invalidGraph("graph '${graph.name()}' is written already: nothing can be added to it")
        }
    }

    /** Returns the value if this graph or one around it has it; throws otherwise. */
    private fun reachable(
        value: GraphValue,
        reader: String,
    ): Value {
        if (generateSequence(graph) { it.parent() }.none { it === value.value.graph() }) {
            throw EngineException.invalidGraph(
                "$reader reads '${value.name}', which is of graph '${value.value.graph().name()}': " +
                    "a graph reads its own values and those of the graphs around it",
            )
        }
        return value.value
    }

    /** Returns the value of the one of two graphs that a condition selects; only that graph runs. */
    public fun choose(
        condition: GraphValue,
        then: GraphScope.() -> GraphValue,
        otherwise: GraphScope.() -> GraphValue,
    ): GraphValue =
        op("If", condition) {
            graph("then_branch") { output("then", then()) }
            graph("else_branch") { output("else", otherwise()) }
        }

    /**
     * Runs a graph [count] times, each time on its previous results, and returns the last ones: `loop(constant(10L), x)
     * { _, (a) -> listOf(a + a) }`. `op("Loop", …)` is the operator with all its features.
     */
    public fun loop(
        count: GraphValue,
        vararg first: GraphValue,
        body: GraphScope.(iteration: GraphValue, carried: List<GraphValue>) -> List<GraphValue>,
    ): List<GraphValue> =
        ops("Loop", first.size, count, null, *first) {
            graph("body") {
                val iteration = input("iteration", ElementType.INT64)
                input("go_on", ElementType.BOOL)
                // a carried value may change its shape between iterations
                val carried =
                    first.mapIndexed { i, value ->
                        input("carried_$i", value.value.elementType()?.let(ValueType::tensor))
                    }
                val next = body(iteration, carried)
                output("goes_on", constant(true))
                next.forEachIndexed { i, value -> output("next_$i", value) }
            }
        }

    public operator fun GraphValue.plus(other: GraphValue): GraphValue = op("Add", this, other)

    public operator fun GraphValue.minus(other: GraphValue): GraphValue = op("Sub", this, other)

    public operator fun GraphValue.times(other: GraphValue): GraphValue = op("Mul", this, other)

    public operator fun GraphValue.div(other: GraphValue): GraphValue = op("Div", this, other)

    public operator fun GraphValue.unaryMinus(): GraphValue = op("Neg", this)

    /** The matrix product. */
    public infix fun GraphValue.matmul(other: GraphValue): GraphValue = op("MatMul", this, other)

    /** The sum with a number of the same type: `x + 1f` for floats, `x + 1L` for 64-bit integers. */
    public operator fun GraphValue.plus(other: Number): GraphValue = this + constant(other)

    public operator fun GraphValue.minus(other: Number): GraphValue = this - constant(other)

    public operator fun GraphValue.times(other: Number): GraphValue = this * constant(other)

    public operator fun GraphValue.div(other: Number): GraphValue = this / constant(other)
}

/** The attributes of a node. */
@MillraceDsl
public class AttributeScope internal constructor(
    private val around: Graph,
    private val opsets: Opsets,
) {
    internal val attributes = linkedMapOf<String, Attribute>()

    public fun attribute(
        name: String,
        value: Long,
    ): Unit = set(name, Attribute.of(value))

    public fun attribute(
        name: String,
        value: Int,
    ): Unit = set(name, Attribute.of(value.toLong()))

    public fun attribute(
        name: String,
        value: Float,
    ): Unit = set(name, Attribute.of(value))

    public fun attribute(
        name: String,
        value: String,
    ): Unit = set(name, Attribute.of(value))

    public fun attribute(
        name: String,
        value: Tensor,
    ): Unit = set(name, Attribute.of(value))

    /** Sets a list of integers: `attribute("pads", longArrayOf(1, 1, 1, 1))`. */
    public fun attribute(
        name: String,
        values: LongArray,
    ): Unit = set(name, Attribute.Ints(values.asList()))

    /** Sets a list of floats. */
    public fun attribute(
        name: String,
        values: FloatArray,
    ): Unit = set(name, Attribute.Floats(values.asList()))

    /** Sets a list of strings. */
    public fun attribute(
        name: String,
        values: List<String>,
    ): Unit = set(name, Attribute.Strings(values.map { Attribute.Bytes(it.encodeToByteArray()) }))

    /** Sets a nested graph, whose outputs are in the order in which it names them. */
    public fun graph(
        name: String,
        write: GraphScope.() -> Unit,
    ) {
        val nested = Graph.nested(name, around)
        GraphScope(nested, opsets).write(write)
        set(name, Attribute.of(nested))
    }

    private fun set(
        name: String,
        value: Attribute,
    ) {
        if (attributes.put(name, value) != null) {
            throw EngineException.invalidGraph("attribute '$name' is given twice")
        }
    }
}
