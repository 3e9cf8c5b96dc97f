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
import dev.millrace.session.generate.Ending
import dev.millrace.text.ChatMessage
import dev.millrace.text.LanguageModel
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import kotlin.io.path.writeBytes
import kotlin.io.path.writeText

/** A model whose answer to anything is "the mill runs". */
class TextTest {
    @TempDir
    private lateinit var folder: Path

    private lateinit var model: LanguageModel

    @BeforeEach
    fun open() {
        folder.resolve("tokenizer.json").writeText(
            """
            {"model": {"type": "WordLevel", "unk_token": "other",
              "vocab": {"the": 0, "mill": 1, "runs": 2, "</s>": 3, "bot": 4, "other": 5}},
             "pre_tokenizer": {"type": "Whitespace"},
             "added_tokens": [{"id": 3, "content": "</s>", "special": true}]}
            """.trimIndent(),
        )
        folder.resolve("chat_template.jinja").writeText("{% for m in messages %}{{ m.content }} {% endfor %}bot")
        folder.resolve("config.json").writeText("""{"eos_token_id": 3}""")
        folder.resolve("model.onnx").writeBytes(words(1, 2, 3, 3, 0, 5))
        model = LanguageModel.open(folder)
    }

    @AfterEach
    fun close() = model.close()

    private fun words(vararg next: Int): ByteArray {
        val editor = GraphEditor(Graph.named("words"))
        val shape = SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))
        val ids = editor.addInput("input_ids", ValueType.tensor(ElementType.INT64, shape))
        val table = FloatArray(next.size * next.size) { if (it % next.size == next[it / next.size]) 1f else 0f }
        val rows = editor.addConstant("rows", table.toTensor(next.size.toLong(), next.size.toLong()))
        val node = editor.append(NodeSpec.of(OpId.onnx("Gather"), 21, rows, ids), listOf("logits"))
        editor.addOutput("logits", node.requireOutput(0))
        val header = Model.Header(10, "test", "1", "", 1, "")
        return Models.toBytes(Model(header, mapOf("" to 21), mapOf(), mapOf(), editor.graph(), null))
    }

    @Test
    fun `texts are flows and suspend`() =
        runBlocking<Unit> {
            val generator = model.generator()
            assertThat(generator.pieces("the", model.defaults()).toList()).containsExactly(" mill", " runs")
            assertThat(generator.pieces("the", model.defaults()).first()).isEqualTo(" mill")
            assertThat(generator.generate("the", model.defaults()).tokens()).isEqualTo(3)
        }

    @Test
    fun `answers are flows and suspend`() =
        runBlocking<Unit> {
            val messages = listOf(ChatMessage.user("other"))
            val deltas = model.chats().deltas(messages, model.defaults()).toList()
            assertThat(deltas.joinToString("") { it.text }).isEqualTo("the mill runs")
            assertThat(deltas.last().ending).isEqualTo(Ending.STOP_TOKEN)
            assertThat(model.chats().answer(messages, model.defaults()).text).isEqualTo("the mill runs")
            val chat = model.chat()
            chat.deltas("other").collect {}
            assertThat(chat.messages()).hasSize(2)
        }
}
