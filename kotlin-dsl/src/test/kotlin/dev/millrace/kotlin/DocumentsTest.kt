package dev.millrace.kotlin

import dev.millrace.graph.tensor.ElementType
import dev.millrace.kotlin.graph.graph
import dev.millrace.kotlin.graph.save
import dev.millrace.kotlin.graph.session
import dev.millrace.kotlin.graph.softmax
import dev.millrace.session.BatchOptions
import dev.millrace.session.Engine
import dev.millrace.session.FluxOptions
import dev.millrace.session.Inputs
import dev.millrace.session.ModelInput
import dev.millrace.session.ModelOutput
import dev.millrace.session.Session
import dev.millrace.session.State
import dev.millrace.session.generate.GenerationOptions
import dev.millrace.session.generate.Generator
import dev.millrace.text.ChatMessage
import dev.millrace.text.LanguageModel
import kotlinx.coroutines.flow.Flow
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import java.nio.file.Files
import java.nio.file.Path

/** The Kotlin of the documents, word for word: it compiles. What is given is the reader's own. */
@Suppress("unused", "UNUSED_VARIABLE")
private class DocumentExamples(
    private val session: Session,
    private val generator: Generator,
    private val requests: Flow<Inputs>,
    private val frames: Flow<Inputs>,
) {
    suspend fun readme() {
        engine { threads = 2 }.use { engine ->
            val session =
                engine.session("minilm.onnx") {
                    providers {
                        simd()
                        cpu()
                    }
                    epContext { enable = true }
                }
            requests.infer(session).collect { answer -> println(answer["last_hidden_state"]) }
        }
    }

    suspend fun streams() {
        requests
            .infer(session, FluxOptions.builder().concurrency(4).build())
            .collect { it.use { outputs -> println(outputs["y"][0, 1]) } }
    }

    suspend fun sequences() {
        session.stateful(State.carry("stateN", "state").ofZeros(2, 1, 128)).use { vad ->
            frames.infer(vad).collect { it.use { outputs -> println(outputs["output"][0, 0]) } }
        }
    }

    suspend fun batches() {
        val batched = session.batched(BatchOptions.defaults())
        val mine = batched.infer(inputs("x" to floatArrayOf(1f)))
    }

    suspend fun generation() {
        generator
            .tokens(longArrayOf(1, 306, 4658), GenerationOptions.builder().maxTokens(100).build())
            .collect { token -> print(token.id) }
        val all = generator.generate(longArrayOf(1, 306, 4658))
    }

    fun graphs(engine: Engine) {
        val model =
            graph("classifier") {
                val x = input("x", ElementType.FLOAT, "rows", 3)
                val weights = constant(arrayOf(floatArrayOf(1f, 0f), floatArrayOf(0f, 1f), floatArrayOf(2f, 1f)))
                val hidden = op("Gelu", x matmul weights) { attribute("approximate", "tanh") }
                output("probabilities", softmax(hidden * 0.5f))
            }
        model.save(Path.of("classifier.onnx"))
        val session =
            engine.session(model) {
                providers {
                    simd()
                    cpu()
                }
            }
    }

    fun nested() {
        val powers =
            graph("powers") {
                val x = input("x", ElementType.FLOAT, "n")
                val isSquared = input("squared", ElementType.BOOL)
                val start = choose(isSquared, { x * x }, { x })
                val (y) = loop(constant(3L), start) { _, (soFar) -> listOf(soFar * x) }
                output("y", y)
            }
    }

    suspend fun talking() {
        LanguageModel.open(Path.of("model-folder")).use { model ->
            model.chat().deltas("What is a millrace?").collect { delta -> print(delta.text) }
        }
    }

    suspend fun answering(model: LanguageModel) {
        val completion = model.chats().answer(listOf(ChatMessage.user("What is a millrace?")), model.defaults())
        println("${completion.text} (${completion.usage.cached} of ${completion.usage.prompt} tokens were known)")
    }

    suspend fun compiling() {
        engine().use { engine ->
            val compiler =
                engine.compiler {
                    embed = true
                    errorIfNothingCompiled = true
                }
            compiler.compiled(ModelInput.file(Path.of("model.onnx")), ModelOutput.besideSource()) // suspends
        }
    }
}

class DocumentsTest {
    /** Without what a formatter decides. */
    private fun words(text: String): String = text.filterNot { it.isWhitespace() || it == ';' }.replace(",)", ")")

    private fun examples(
        document: String,
        language: String,
    ): List<String> =
        Regex("```$language\\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(Files.readString(ROOT.resolve(document)))
            .map { it.groupValues[1] }
            .toList()

    @ParameterizedTest
    @CsvSource(
        "README.md",
        "docs/guide/getting-started.md",
        "docs/guide/streams.md",
        "docs/guide/generation.md",
        "docs/guide/language-models.md",
        "docs/guide/graphs.md",
        "docs/guide/compiled-models.md",
    )
    fun `the Kotlin of a document is what compiles here`(document: String) {
        val here = words(Files.readString(Path.of("src/test/kotlin/dev/millrace/kotlin/DocumentsTest.kt")))
        assertThat(examples(document, "kotlin")).isNotEmpty().allSatisfy { assertThat(here).contains(words(it)) }
    }

    @ParameterizedTest
    @CsvSource(
        "java, webflux/src/main/java/dev/millrace/example/webflux, EmbeddingService",
        "kotlin, ktor/src/main/kotlin/dev/millrace/example/ktor, EmbeddingService Service",
    )
    fun `the services of the document are the ones that are built`(
        language: String,
        folder: String,
        files: String,
    ) {
        val suffix = if (language == "java") "java" else "kt"
        val sources = files.split(' ').map { Files.readString(ROOT.resolve("examples/$folder/$it.$suffix")) }
        assertThat(examples("docs/guide/services.md", language)).isEqualTo(sources)
    }

    private companion object {
        val ROOT: Path = Path.of("..")
    }
}
