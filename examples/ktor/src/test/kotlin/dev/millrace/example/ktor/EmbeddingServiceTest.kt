package dev.millrace.example.ktor

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
import dev.millrace.graph.tensor.Tensor
import dev.millrace.session.Engine
import dev.millrace.session.SessionOptions
import dev.millrace.text.Embedder
import dev.millrace.text.Tokenizer
import io.ktor.server.cio.CIO
import io.ktor.server.engine.embeddedServer
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers

class EmbeddingServiceTest {
    private val words =
        """
        {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
         "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "mill": 1, "race": 2}}}
        """

    /** A word's vector is its row of a table. */
    private fun model(): ByteArray {
        val editor = GraphEditor(Graph.named("words"))
        val shape = SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("words"))
        val ids = editor.addInput("input_ids", ValueType.tensor(ElementType.INT64, shape))
        val table = editor.addConstant("table", Tensor.copyOf(floatArrayOf(1f, 0f, 0f, 4f, 3f, 0f), 3, 2))
        val gather = NodeSpec.of(OpId.onnx("Gather"), 21, table, ids)
        editor.addOutput("hidden", editor.append(gather, listOf("hidden")).requireOutput(0))
        val header = Model.Header(10, "test", "1", "", 1, "")
        return Models.toBytes(Model(header, mapOf("" to 21), mapOf(), mapOf(), editor.graph(), null))
    }

    @Test
    fun `every line is answered by a vector`() {
        Engine.create().use { engine ->
            engine.session(model(), SessionOptions.defaults()).use { session ->
                val embedder = Embedder.of(session, Tokenizer.of(words.toByteArray()).paddedTo(0))
                val server = embeddedServer(CIO, port = 0, host = "127.0.0.1") { service(session, embedder) }
                server.start()
                try {
                    val port =
                        runBlocking {
                            server.engine
                                .resolvedConnectors()
                                .first()
                                .port
                        }
                    // the third is the mean of (0, 4) and (3, 0), brought to length one
                    assertThat(answers(port, "mill\nrace race\nmill race\n"))
                        .containsExactly("[0.0,1.0]", "[1.0,0.0]", "[0.6,0.8]")
                    assertThat(health(port)).isEqualTo("200: UP []")
                    session.close()
                    assertThat(health(port)).isEqualTo("503: DOWN [this session is closed]")
                } finally {
                    server.stop(0, 1000)
                }
            }
        }
    }

    private fun health(port: Int): String {
        val request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:$port/health")).build()
        HttpClient.newHttpClient().use { client ->
            val response = client.send(request, BodyHandlers.ofString())
            return "${response.statusCode()}: ${response.body()}"
        }
    }

    private fun answers(
        port: Int,
        texts: String,
    ): List<String> {
        val place = URI.create("http://127.0.0.1:$port/embeddings")
        val request = HttpRequest.newBuilder(place).POST(BodyPublishers.ofString(texts)).build()
        HttpClient.newHttpClient().use { client ->
            val response = client.send(request, BodyHandlers.ofString())
            assertThat(response.statusCode()).describedAs(response.body()).isEqualTo(200)
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/x-ndjson")
            return response.body().lines().dropLastWhile { it.isEmpty() }
        }
    }
}
