package dev.millrace.example.npu

import dev.millrace.epcontext.BinarySource
import dev.millrace.graph.EngineException
import dev.millrace.graph.Status
import dev.millrace.kotlin.SessionConfiguration
import dev.millrace.kotlin.compiler
import dev.millrace.kotlin.engine
import dev.millrace.kotlin.infer
import dev.millrace.kotlin.session
import dev.millrace.providers.spi.Compatibility
import dev.millrace.session.Engine
import dev.millrace.session.ModelInput
import dev.millrace.session.ModelOutput
import dev.millrace.session.Session
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.nio.file.Files
import java.nio.file.Path

/** The ways in which a user of the NPU works with compiled models, in Kotlin. The guide shows pieces of this file. */
class KotlinFlowsIT {
    @TempDir
    lateinit var folder: Path

    private val source get() = folder.resolve("model.onnx")
    private val compiled get() = folder.resolve("model_ctx.onnx")

    @BeforeEach
    fun write() {
        Files.write(source, QuantisedModels.layers(2, 1))
    }

    @AfterEach
    fun forgetVersions() {
        System.clearProperty("example.npu.driver")
        System.clearProperty("example.npu.generation")
    }

    private fun npuEngine(library: String = "npu"): Engine =
        engine().apply {
            registerProviderLibrary(library, Path.of(System.getProperty("example.npu.jar")))
        }

    private fun SessionConfiguration.onNpu() =
        providers {
            provider("npu")
            cpu()
        }

    private fun Engine.compile(isInside: Boolean = false) {
        val compiler =
            compiler {
                session { onNpu() }
                embed = isInside
                errorIfNothingCompiled = true
            }
        compiler.compile(ModelInput.file(source), ModelOutput.file(compiled))
    }

    private fun answer(session: Session): FloatArray = session.run(QuantisedModels.inputs()).use { it["y"].floats() }

    private fun expected(): FloatArray =
        engine().use { engine ->
            engine.session(QuantisedModels.layers(2, 1)) { providers { cpu() } }.use(::answer)
        }

    private fun assertRuns(
        engine: Engine,
        model: Path = compiled,
    ) = engine
        .session(model) {
            onNpu()
            disableModelCompile = true
        }.use {
            assertThat(it.label().providers()).contains("npu")
            assertThat(answer(it)).containsExactly(*expected())
        }

    private fun files() = Files.list(folder).use { all -> all.map { it.fileName.toString() }.sorted().toList() }

    @ParameterizedTest
    @ValueSource(booleans = [true, false])
    fun aModelIsCompiledWithItsBinaryInsideOrBeside(isInside: Boolean) {
        npuEngine().use { engine ->
            engine.compile(isInside)
            assertRuns(engine)
        }
        assertThat(files()).hasSize(if (isInside) 2 else 3)
    }

    @Test
    fun twoModelsShareTheirWeights() {
        val second = Files.write(folder.resolve("second.onnx"), QuantisedModels.layers(3, 1))
        npuEngine().use { engine ->
            for (model in listOf(source, second)) {
                engine
                    .session(model) {
                        onNpu()
                        epContext {
                            enable = true
                            share = true
                            stopShare = model == second
                        }
                    }.close()
            }
            assertThat(files()).hasSize(5).contains("model_npu.bin")
            assertRuns(engine)
        }
    }

    @Test
    fun aModelOfAnotherDriverIsCompiledAgain() {
        npuEngine().use { it.compile() }
        System.setProperty("example.npu.driver", "5")
        npuEngine().use { engine ->
            assertThatThrownBy { assertRuns(engine) }.hasMessageContaining("for driver 4, and this is driver 5")
            engine.openOrCompile().close()
            assertRuns(engine)
        }
    }

    private fun Engine.openOrCompile(): Session =
        try {
            session(compiled) { onNpu() }
        } catch (e: EngineException) {
            if (e.status() != Status.INVALID_GRAPH) throw e
            compile()
            session(compiled) { onNpu() }
        }

    @Test
    fun compatibilityIsToldWithoutASession() {
        npuEngine().use { engine ->
            engine.compile()
            assertThat(engine.compatibility(compiled).first().verdict()).isEqualTo(Compatibility.OPTIMAL)
        }
    }

    @Test
    fun aBinaryIsEncryptedAndDecryptedByCallbacks() {
        val vault = Vault(folder)
        npuEngine().use { engine ->
            engine
                .compiler {
                    session { onNpu() }
                    binaryTarget("model") { vault.write(it) }
                }.compile(ModelInput.file(source), ModelOutput.file(compiled))
            engine
                .session(compiled) {
                    onNpu()
                    epContext { source = BinarySource { vault.read(it) } }
                }.use { assertThat(answer(it)).containsExactly(*expected()) }
        }
        assertThat(files()).containsExactly("model.onnx", "model_ctx.onnx", "model_npu.bin.secret")
    }

    @Test
    fun aModelIsCompiledForAnNpuThatIsNotHere() {
        npuEngine(library = "npu.virtual").use { it.compile() }
        System.setProperty("example.npu.generation", "2")
        npuEngine().use { assertRuns(it) }
    }

    @Test
    fun theClockChangesWhileRunsAreUnderWay() =
        runBlocking {
            npuEngine().use { engine ->
                engine
                    .session(source) {
                        onNpu()
                        queue = 64
                    }.use { session ->
                        val answers =
                            List(32) { async { session.infer(QuantisedModels.inputs()).use { it["y"].floats() } } }
                        session.setDynamicOptions("npu", mapOf("performance" to "saver"))
                        session.setDynamicOptions("npu", mapOf("performance" to "burst"))
                        val expected = expected()
                        answers.awaitAll().forEach { assertThat(it).containsExactly(*expected) }
                    }
            }
        }
}
