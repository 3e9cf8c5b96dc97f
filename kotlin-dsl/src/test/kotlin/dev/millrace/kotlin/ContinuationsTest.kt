package dev.millrace.kotlin

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
import dev.millrace.session.BatchOptions
import dev.millrace.session.FluxOptions
import dev.millrace.session.Inputs
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import java.util.concurrent.ConcurrentHashMap

/**
 * Tests that a coroutine's code before, between and after answers runs on its dispatcher, never
 * on the engine's threads.
 */
class ContinuationsTest {
    private val engine = engine { threads = 2 }
    private val session = engine.session(increment())
    private val seen: MutableSet<String> = ConcurrentHashMap.newKeySet()

    @AfterEach
    fun close() {
        session.close()
        engine.close()
    }

    private fun increment(): ByteArray {
        val editor = GraphEditor(Graph.named("increment"))
        val type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n")))
        val x = editor.addInput("x", type)
        val one = editor.addConstant("one", floatArrayOf(1f).toTensor(1))
        editor.addOutput("y", editor.append(NodeSpec.of(OpId.onnx("Add"), 21, x, one), listOf("y")).requireOutput(0))
        val header = Model.Header(10, "test", "1", "", 1, "")
        return Models.toBytes(Model(header, mapOf("" to 21), mapOf(), mapOf(), editor.graph(), null))
    }

    private fun note() {
        seen += Thread.currentThread().name
    }

    private fun requests(): Flow<Inputs> =
        flow {
            for (i in 0 until MANY) {
                note()
                emit(inputs("x" to floatArrayOf(i.toFloat())))
                note()
                if (i % 10 == 0) {
                    yield()
                }
            }
        }.onEach { note() }

    private fun noneIsTheEngines() {
        assertThat(seen).isNotEmpty().noneMatch { it.startsWith("millrace-") }
    }

    @Test
    fun `those of a suspending call`() =
        runBlocking<Unit> {
            withContext(Dispatchers.Default) {
                val batched = session.batched(BatchOptions.defaults())
                for (inference in listOf(session, batched, session.then(session, "y" to "x"))) {
                    (0 until MANY)
                        .map { i ->
                            async {
                                inference.infer(inputs("x" to floatArrayOf(i.toFloat()))).close()
                                note()
                            }
                        }.awaitAll()
                }
            }
            noneIsTheEngines()
        }

    @Test
    fun `those of a flow of answers, and of the flow of its requests`() =
        runBlocking<Unit> {
            val three = FluxOptions.builder().concurrency(3).build()
            for (options in listOf(three, three.toBuilder().ordered(false).build())) {
                requests().infer(session, options).collect {
                    note()
                    it.close()
                }
                requests().results(session, options).collect {
                    note()
                    it.close()
                }
            }
            noneIsTheEngines()
        }

    @Test
    fun `those of a sequence`() =
        runBlocking<Unit> {
            session.stateful("y" to "x").use { counts ->
                flow {
                    for (i in 0 until MANY) {
                        note()
                        emit(Inputs.empty())
                    }
                }.infer(counts).collect {
                    note()
                    it.close()
                }
            }
            noneIsTheEngines()
        }

    private companion object {
        const val MANY = 50
    }
}
