package dev.millrace.kotlin

import dev.millrace.graph.EngineException
import dev.millrace.graph.tensor.ElementType
import dev.millrace.kotlin.graph.graph
import dev.millrace.kotlin.graph.save
import dev.millrace.models.FetchOptions
import dev.millrace.models.ModelFiles
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path

/** Tests of models by name. The hub's cache has the model, and the hub is not asked. */
class ModelsTest {
    private val commit = "0123456789abcdef0123456789abcdef01234567"

    private fun offline(folder: Path): ModelFiles {
        val snapshot = Files.createDirectories(folder.resolve("models--org--double/snapshots/$commit"))
        graph("double") {
            val x = input("x", ElementType.FLOAT, "n")
            output("y", x + x)
        }.save(snapshot.resolve("model.onnx"))
        val options = FetchOptions.builder().hubCache(folder).offline(true)
        return ModelFiles.with(options.build())
    }

    @Test
    fun `a session of a model by name`(
        @TempDir folder: Path,
    ) = runBlocking<Unit> {
        val files = offline(folder)
        engine().use { engine ->
            engine.model("hf:org/double@$commit/model.onnx", files).use { session ->
                session
                    .run(
                        inputs("x" to floatArrayOf(2f).toTensor()),
                    ).use { assertThat(it["y"].floats()).containsExactly(4f) }
            }
            engine.openModel("hf:org/double@$commit/model.onnx", files) { threads = 1 }.use { session ->
                assertThat(session.inputs()).hasSize(1)
            }
        }
        assertThat(files.fetch("hf:org/double@$commit/model.onnx").file()).exists()
        assertThat(modelFile("a/model.onnx")).isEqualTo(Path.of("a/model.onnx"))
        assertThatThrownBy { modelFile("hf:org/double/other.onnx", files) }
            .isInstanceOf(EngineException::class.java)
            .hasMessageContaining("was not fetched before")
    }
}
