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
import dev.millrace.session.ReplaceableSession
import dev.millrace.session.generate.Ending
import dev.millrace.session.generate.GenerationOptions
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

class GenerationTest {
    private val engine = engine { threads = 1 }
    private val session = engine.session(counter()) {}

    @AfterEach
    fun close() {
        session.close()
        engine.close()
    }

    /** Each token is followed by the next one, the last by the first. */
    private fun counter(): ByteArray {
        val words = 5
        val editor = GraphEditor(Graph.named("counter"))
        val shape = SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))
        val ids = editor.addInput("input_ids", ValueType.tensor(ElementType.INT64, shape))
        val table = FloatArray(words * words) { if (it % words == (it / words + 1) % words) 1f else 0f }
        val rows = editor.addConstant("rows", table.toTensor(words.toLong(), words.toLong()))
        val node = editor.append(NodeSpec.of(OpId.onnx("Gather"), 21, rows, ids), listOf("logits"))
        editor.addOutput("logits", node.requireOutput(0))
        val header = Model.Header(10, "test", "1", "", 1, "")
        return Models.toBytes(Model(header, mapOf("" to 21), mapOf(), mapOf(), editor.graph(), null))
    }

    @Test
    fun `tokens are a flow`() =
        runBlocking<Unit> {
            val generator = session.generator { contextLength(100) }
            val tokens = generator.tokens(longArrayOf(1)).map { it.id }.take(6)
            assertThat(tokens.toList()).containsExactly(2L, 3L, 4L, 0L, 1L, 2L)
            assertThat(
                generator
                    .tokens(longArrayOf(1))
                    .toList()
                    .last()
                    .ending,
            ).isEqualTo(Ending.CONTEXT_FULL)
        }

    @Test
    fun `a generator stands around a session that is replaced`() =
        runBlocking<Unit> {
            val service = ReplaceableSession.of(engine.session(counter()) {})
            service.use {
                val generator = service.generator { contextLength(100) }
                val tokens = generator.tokens(longArrayOf(1)).map { token -> token.id }
                val ids =
                    tokens.take(6).onEach { id -> if (id == 4L) service.replace(engine.session(counter()) {}) }.toList()
                assertThat(ids).containsExactly(2L, 3L, 4L, 0L, 1L, 2L)
                assertThat(tokens.take(2).toList()).containsExactly(2L, 3L)
            }
        }

    @Test
    fun `a generation is awaited`() =
        runBlocking<Unit> {
            val said =
                session.generator().generate(
                    longArrayOf(0, 1),
                    GenerationOptions.builder().stopTokens(4).build(),
                )
            assertThat(said.ids()).containsExactly(2, 3, 4)
            assertThat(said.ending()).isEqualTo(Ending.STOP_TOKEN)
        }
}
