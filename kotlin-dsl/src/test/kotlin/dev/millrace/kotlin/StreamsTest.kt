package dev.millrace.kotlin

import dev.millrace.graph.EngineException
import dev.millrace.graph.Status
import dev.millrace.graph.format.Models
import dev.millrace.graph.ir.Dim
import dev.millrace.graph.ir.Graph
import dev.millrace.graph.ir.GraphEditor
import dev.millrace.graph.ir.Model
import dev.millrace.graph.ir.NodeSpec
import dev.millrace.graph.ir.OpId
import dev.millrace.graph.ir.SymbolicShape
import dev.millrace.graph.ir.ValueType
import dev.millrace.graph.tensor.ElementType
import dev.millrace.session.FluxOptions
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger

class StreamsTest {
    private val engine = engine { threads = 2 }
    private val session = engine.session(sumAndProduct()) { queue = 8 }

    @AfterEach
    fun close() {
        session.close()
        engine.close()
    }

    /** sum = a + b, product = a * b. */
    private fun sumAndProduct(): ByteArray {
        val editor = GraphEditor(Graph.named("two"))
        val type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n")))
        val a = editor.addInput("a", type)
        val b = editor.addInput("b", type)
        for ((op, name) in listOf("Add" to "sum", "Mul" to "product")) {
            editor.addOutput(name, editor.append(NodeSpec.of(OpId.onnx(op), 21, a, b), listOf(name)).requireOutput(0))
        }
        val header = Model.Header(10, "test", "1", "", 1, "")
        return Models.toBytes(Model(header, mapOf("" to 21), mapOf(), mapOf(), editor.graph(), null))
    }

    private fun element(a: Int) = inputs("a" to floatArrayOf(a.toFloat()))

    private fun pair(a: Int) = inputs("a" to floatArrayOf(a.toFloat()), "b" to floatArrayOf(2f))

    @Test
    fun `outputs are taken apart`() =
        runBlocking<Unit> {
            session.infer(pair(3)).use { outputs ->
                val (sum, product) = outputs
                assertThat(sum[0]).isEqualTo(5.0)
                assertThat(product.shape()[0]).isEqualTo(1)
                assertThat(outputs.value<FloatArray>("product")).containsExactly(6f)
            }
        }

    @Test
    fun `a flow reads ahead no further than its concurrency`() =
        runBlocking<Unit> {
            val emitted = AtomicInteger()
            val requests =
                flow {
                    for (i in 0 until 1000) {
                        emitted.incrementAndGet()
                        emit(pair(i))
                    }
                }
            val options = FluxOptions.builder().concurrency(3).build()
            val answers = requests.infer(session, options).take(5).map { outputs -> outputs.use { it["sum"][0] } }
            assertThat(answers.toList()).containsExactly(2.0, 3.0, 4.0, 5.0, 6.0)
            assertThat(emitted.get()).isLessThan(16)
        }

    @Test
    fun `a bad request ends nothing`() =
        runBlocking<Unit> {
            val results = listOf(pair(1), inputs(), pair(2)).asFlow().results(session).toList()
            assertThat(results.map { it.isAnswer }).containsExactly(true, false, true)
            results.forEach { it.close() }
        }

    @Test
    fun `a flow is a sequence`() =
        runBlocking<Unit> {
            session.stateful("sum" to "b").use { sums ->
                val answers = (2..4).asFlow().map { element(it) }.infer(sums)
                assertThat(answers.map { outputs -> outputs.use { it["product"][0] } }.toList())
                    .containsExactly(0.0, 6.0, 20.0)
            }
        }

    @Test
    fun `models follow each other`() =
        runBlocking<Unit> {
            val both = session.then(session, "sum" to "a", "product" to "b")
            both.infer(pair(3)).use { assertThat(it["product"][0]).isEqualTo(30.0) }
        }

    @Test
    fun `a session is made without blocking`(
        @TempDir folder: Path,
    ) = runBlocking<Unit> {
        val file = Files.write(folder.resolve("two.onnx"), sumAndProduct())
        engine.openSession(file) { name = "mine" }.use { opened ->
            opened.warmUp("a" to longArrayOf(1), "b" to longArrayOf(1))
            assertThat(opened.name()).isEqualTo("mine")
        }
        assertThatThrownBy { runBlocking { engine.openSession(folder.resolve("none.onnx")) } }
            .isInstanceOfSatisfying(
                EngineException::class.java,
            ) { assertThat(it.status()).isEqualTo(Status.NO_SUCH_FILE) }
    }

    @Test
    fun `the engine's threads are a dispatcher`() =
        runBlocking<Unit> {
            withContext(engine.dispatcher) {
                delay(1)
                assertThat(Thread.currentThread().name).startsWith("millrace-run-")
            }
        }
}
