package dev.millrace.kotlin.graph

import dev.millrace.graph.EngineException
import dev.millrace.graph.Status
import dev.millrace.graph.format.Models
import dev.millrace.graph.ir.Graph
import dev.millrace.graph.ir.GraphEditor
import dev.millrace.graph.ir.Model
import dev.millrace.graph.ir.NodeSpec
import dev.millrace.graph.ir.OpId
import dev.millrace.graph.ir.SymbolicShape
import dev.millrace.graph.ir.ValueType
import dev.millrace.graph.tensor.ElementType.BOOL
import dev.millrace.graph.tensor.ElementType.FLOAT
import dev.millrace.graph.tensor.ElementType.INT64
import dev.millrace.graph.tensor.Tensor
import dev.millrace.kotlin.engine
import dev.millrace.kotlin.inputs
import dev.millrace.kotlin.session
import dev.millrace.kotlin.value
import dev.millrace.session.Inputs
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path

class GraphsTest {
    private val engine = engine { threads = 1 }

    @AfterEach
    fun close() = engine.close()

    private fun layer(): Model =
        graph("layer") {
            val x = input("x", FLOAT, "rows", 2)
            val weights = constant(arrayOf(floatArrayOf(1f, 2f), floatArrayOf(3f, 4f)), "weights")
            output("y", relu(x matmul weights) * 2f - constant(floatArrayOf(1f, 0f)))
        }

    private fun answer(
        model: Model,
        given: Inputs,
    ): FloatArray = engine.session(model).use { session -> session.run(given).use { it[0].floats() } }

    private fun refused(
        vararg parts: String,
        write: GraphScope.() -> Unit,
    ) {
        assertThatThrownBy { graph("wrong", write = write) }
            .isInstanceOfSatisfying(EngineException::class.java) {
                assertThat(it.status()).isEqualTo(Status.INVALID_GRAPH)
                assertThat(it.message).startsWith("graph 'wrong': ").contains(*parts)
            }
    }

    @Test
    fun `a graph runs as it is written`() {
        val x = arrayOf(floatArrayOf(1f, 1f), floatArrayOf(-1f, 0f))
        assertThat(answer(layer(), inputs("x" to x))).containsExactly(7f, 12f, -1f, 0f)
    }

    @Test
    fun `a saved graph is a file like any other`(
        @TempDir folder: Path,
    ) {
        val file = folder.resolve("layer.onnx")
        layer().save(file, externalData = "layer.data")
        engine.session(file).use { session ->
            assertThat(session.name()).isEqualTo("layer")
            assertThat(session.inputs().map { it.toString() }).containsExactly("x: float[rows,2]")
            assertThat(session.outputs().map { it.toString() }).containsExactly("y: float[rows,2]")
            session.run(inputs("x" to arrayOf(floatArrayOf(1f, 1f)))).use {
                assertThat(it.value<Array<FloatArray>>("y")[0]).containsExactly(7f, 12f)
            }
        }
    }

    @Test
    fun `a graph of the editor and the same one written here are one file`() {
        val written =
            graph("same") {
                val x = input("x", FLOAT, "n")
                output("y", op("Relu", op("Add", x, constant(1f, "one"), name = "sum"), name = "y"))
            }
        val editor = GraphEditor(Graph.named("same"))
        val type =
            ValueType.tensor(
                FLOAT,
                SymbolicShape(
                    written
                        .graph()
                        .inputs()[0]
                        .shape()!!
                        .dims(),
                ),
            )
        val x = editor.addInput("x", type)
        val one = editor.addConstant("one", Tensor.scalar(1f))
        val sum = editor.append(NodeSpec.of(OpId.onnx("Add"), 21, x, one).named("sum"), listOf("sum")).requireOutput(0)
        val y = editor.append(NodeSpec.of(OpId.onnx("Relu"), 21, sum).named("y"), listOf("y")).requireOutput(0)
        listOf(sum, y).forEach { editor.setType(it, type) }
        editor.addOutput("y", y)
        assertThat(written.toBytes()).isEqualTo(Models.toBytes(written.with(editor.graph())))
    }

    @Test
    fun `operators of all domains are called by their names`() {
        val model =
            graph("named") {
                val x = input("x", FLOAT, 2, 4)
                val parts = split(x, 1, 1, 3)
                val fast = op("FastGelu", parts[1], domain = OpId.MICROSOFT)
                assertThat(fast.type).hasToString("float[2,3]")
                output("y", concat(0, transpose(parts[0]), gather(transpose(fast), constant(longArrayOf(0)))))
            }
        assertThat(model.opsets()).containsEntry(OpId.MICROSOFT, 1).containsEntry(OpId.ONNX, USUAL_OPSET)
    }

    @Test
    fun `convolutions have the attributes that are given`() {
        val model =
            graph("image") {
                val x = input("x", FLOAT, 1, 1, 4, 4)
                val ones = constant(Tensor.copyOf(FloatArray(9) { 1f }, 1, 1, 3, 3))
                val y = conv(x, ones, strides = longArrayOf(2, 2), pads = longArrayOf(1, 1, 1, 1))
                assertThat(y.type).hasToString("float[1,1,2,2]")
                output("y", reshape(mean(y, 2, 3), -1))
            }
        assertThat(
            answer(model, Inputs.of("x", Tensor.copyOf(FloatArray(16) { 1f }, 1, 1, 4, 4))),
        ).containsExactly(6.25f)
    }

    @Test
    fun `nested graphs read what is around them`() {
        val model =
            graph("nested") {
                val x = input("x", FLOAT, 1)
                val isDoubled = input("doubled", BOOL)
                val y = choose(isDoubled, { x + x }, { x })
                val (sum) =
                    loop(constant(3L), y) { number, (carried) ->
                        listOf(carried + cast(number, FLOAT) * y)
                    }
                output("y", sum)
            }
        assertThat(answer(model, inputs("x" to floatArrayOf(5f), "doubled" to true))).containsExactly(40f)
        assertThat(answer(model, inputs("x" to floatArrayOf(5f), "doubled" to false))).containsExactly(20f)
        val read = Models.read(model.toBytes(), null)
        assertThat(answer(read, inputs("x" to floatArrayOf(1f), "doubled" to true))).containsExactly(8f)
    }

    @Test
    fun `what makes no sense is refused where it is written`() {
        refused("node 'Rellu_1': there is no operator Rellu") { op("Rellu", input("x", FLOAT, 1)) }
        refused("there is no operator RELU", "Relu meant") { op("RELU", input("x", FLOAT, 1)) }
        refused("'act'", "2 inputs where 1 are allowed") {
            val x = input("x", FLOAT, 1)
            op("Relu", x, x, name = "act")
        }
        refused("'Softmax_1'", "attribute 'axes' is unknown") {
            op("Softmax", input("x", FLOAT, 1)) { attribute("axes", 0) }
        }
        refused("'Softmax_1'", "attribute 'axis' is of kind float where int") {
            op("Softmax", input("x", FLOAT, 1)) { attribute("axis", 0f) }
        }
        refused("'Add_2'", "int64", "float") { output("y", input("x", FLOAT, 1) + 1L) }
        refused("'Add_1'", "[3]", "[2]") { output("y", input("a", FLOAT, 3) + input("b", FLOAT, 2)) }
        refused("it has no output") { input("x", FLOAT, 1) }
        refused("two inputs that are called 'x'") { repeat(2) { input("x", FLOAT, 1) } }
        refused("two outputs that are called 'y'") { input("x", FLOAT, 1).let { x -> repeat(2) { output("y", x) } } }
        refused("an extent of input 'x' is 1.5") { input("x", FLOAT, 1.5) }
        refused("attribute 'axis' is given twice") {
            op("Softmax", input("x", FLOAT, 1)) { repeat(2) { attribute("axis", 0) } }
        }
    }

    @Test
    fun `a value of another graph is refused by name`() {
        refused("'Relu_", "reads 'Add_", "which is of graph 'then_branch'") {
            val x = input("x", FLOAT, 1)
            lateinit var inside: GraphValue
            choose(input("c", BOOL), { (x + x).also { inside = it } }, { x })
            output("y", relu(inside))
        }
    }

    @Test
    fun `a graph that is written takes nothing more`() {
        lateinit var kept: GraphScope
        graph("done") {
            kept = this
            output("y", cast(input("x", INT64, 1), FLOAT))
        }
        assertThatThrownBy { kept.input("late", FLOAT) }
            .isInstanceOf(EngineException::class.java)
            .hasMessageContaining("graph 'done' is written already")
    }
}
