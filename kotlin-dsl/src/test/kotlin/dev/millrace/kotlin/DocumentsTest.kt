package dev.millrace.kotlin

import dev.millrace.session.BatchOptions
import dev.millrace.session.FluxOptions
import dev.millrace.session.Inputs
import dev.millrace.session.ModelInput
import dev.millrace.session.ModelOutput
import dev.millrace.session.Session
import dev.millrace.session.State
import dev.millrace.session.generate.GenerationOptions
import dev.millrace.session.generate.Generator
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
            .infer(session, FluxOptions.defaults().concurrency(4))
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
            .tokens(longArrayOf(1, 306, 4658), GenerationOptions.defaults().maxTokens(100))
            .collect { token -> print(token.id) }
        val all = generator.generate(longArrayOf(1, 306, 4658))
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
    @CsvSource("README.md", "docs/streams.md", "docs/generation.md", "docs/ep-context.md")
    fun `the Kotlin of a document is what compiles here`(document: String) {
        val here = words(Files.readString(Path.of("src/test/kotlin/dev/millrace/kotlin/DocumentsTest.kt")))
        assertThat(examples(document, "kotlin")).isNotEmpty().allSatisfy { assertThat(here).contains(words(it)) }
    }

    @ParameterizedTest
    @CsvSource(
        "java, webflux/src/main/java/dev/millrace/example/webflux/EmbeddingService.java",
        "kotlin, ktor/src/main/kotlin/dev/millrace/example/ktor/EmbeddingService.kt",
    )
    fun `the services of the document are the ones that are built`(
        language: String,
        source: String,
    ) {
        assertThat(examples("docs/services.md", language))
            .containsExactly(Files.readString(ROOT.resolve("examples").resolve(source)))
    }

    private companion object {
        val ROOT: Path = Path.of("..")
    }
}
