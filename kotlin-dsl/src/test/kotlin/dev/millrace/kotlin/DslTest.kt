package dev.millrace.kotlin

import dev.millrace.epcontext.ContextGroup
import dev.millrace.epcontext.Verification
import dev.millrace.graph.EngineException
import dev.millrace.graph.format.Models
import dev.millrace.graph.ir.Dim
import dev.millrace.graph.ir.Graph
import dev.millrace.graph.ir.GraphEditor
import dev.millrace.graph.ir.Model
import dev.millrace.graph.ir.NodeSpec
import dev.millrace.graph.ir.OpId
import dev.millrace.graph.ir.SymbolicShape
import dev.millrace.graph.ir.ValueType
import dev.millrace.graph.optimise.pass.Level
import dev.millrace.graph.tensor.ElementType
import dev.millrace.session.ModelInput
import dev.millrace.session.ModelOutput
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import java.lang.foreign.MemorySegment
import java.util.concurrent.atomic.AtomicInteger

class DslTest {
    /** y = relu(x) for vectors of any length. */
    private fun relu(): ByteArray {
        val editor = GraphEditor(Graph.named("relu"))
        val type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n")))
        val x = editor.addInput("x", type)
        val node = editor.append(NodeSpec.of(OpId.onnx("Relu"), 21, x), listOf("y"))
        editor.addOutput("y", node.requireOutput(0))
        val header = Model.Header(10, "test", "1", "", 1, "")
        return Models.toBytes(Model(header, mapOf("" to 21), mapOf(), mapOf(), editor.graph(), null))
    }

    @Test
    fun `an engine, a session and a stream in a few lines`() =
        runBlocking<Unit> {
            engine { threads = 2 }.use { engine ->
                engine.session(relu()) { providers { cpu() } }.use { session ->
                    val requests = flow { for (i in -2..2) emit(inputs("x" to floatArrayOf(i.toFloat()).toTensor())) }
                    val answers = requests.infer(session).map { answer -> answer.use { it["y"].floats()[0] } }
                    assertThat(answers.toList()).containsExactly(0f, 0f, 0f, 1f, 2f)
                }
            }
        }

    @Test
    fun `infer suspends and returns one answer`() =
        runBlocking<Unit> {
            engine().use { engine ->
                engine.session(relu()).use { session ->
                    session.infer(inputs("x" to floatArrayOf(-1f, 3f).toTensor())).use { answer ->
                        assertThat(answer["y"].floats()).containsExactly(0f, 3f)
                    }
                }
            }
        }

    @Test
    fun `what a session expects is prepared before it runs`() =
        runBlocking<Unit> {
            val typical = inputs("x" to floatArrayOf(-1f, 3f).toTensor())
            engine().use { engine ->
                engine.session(relu()) { expect(typical) }.use { session ->
                    assertThat(session.stretches()).hasSize(1)
                    session.infer(typical).use { assertThat(it["y"].floats()).containsExactly(0f, 3f) }
                    assertThat(session.stretches()).hasSize(1)
                }
            }
        }

    @Test
    fun `a collector that stops early stops the source`() =
        runBlocking<Unit> {
            val emitted = AtomicInteger()
            engine().use { engine ->
                engine.session(relu()).use { session ->
                    val endless =
                        flow {
                            while (true) {
                                emitted.incrementAndGet()
                                emit(inputs("x" to floatArrayOf(1f).toTensor()))
                            }
                        }
                    val answers = endless.infer(session).map { answer -> answer.use { it["y"].floats()[0] } }
                    assertThat(answers.take(3).toList()).containsExactly(1f, 1f, 1f)
                }
            }
            assertThat(emitted.get()).isLessThan(200)
        }

    @Test
    fun `arrays of all kinds are tensors, and inputs have names`() {
        assertThat(doubleArrayOf(1.0, 2.0).toTensor().doubles()).containsExactly(1.0, 2.0)
        assertThat(byteArrayOf(1, 2, 3, 4).toTensor(2, 2).shape().toArray()).containsExactly(2, 2)
        assertThat(booleanArrayOf(true).toTensor().type()).isEqualTo(ElementType.BOOL)
        assertThat(arrayOf("a", "b").toTensor(2, 1).shape().toArray()).containsExactly(2, 1)
        engine().use { engine ->
            engine.session(MemorySegment.ofArray(relu())) { version = "7" }.use { session ->
                assertThat(session.inputs()["x"].toString()).isEqualTo("x: float[n]")
                assertThatThrownBy { session.inputs()["z"] }.hasMessage("there is no 'z'; there are [x]")
                assertThat(session.label().version()).isEqualTo("7")
            }
        }
    }

    @Test
    fun `options reach the session`() {
        val options =
            sessionOptions {
                threads = 1
                concurrency = 3
                providers {
                    simd()
                    cpu()
                }
                optimiser { level = Level.BASIC }
                epContext { enable = true }
            }
        assertThat(options.threads()).isEqualTo(1)
        assertThat(options.concurrency()).isEqualTo(3)
        assertThat(options.providers().map { it.name() }).containsExactly("simd", "cpu")
        assertThat(options.optimiser().level()).isEqualTo(Level.BASIC)
        assertThat(options.epContext().enable()).isTrue()
    }

    @Test
    fun `options of context models reach the session`() {
        val options =
            sessionOptions {
                disableModelCompile = true
                disableCpuFallback = true
                failOnSuboptimalModel = true
                epContext {
                    enable = true
                    embed = true
                    nodeNamePrefix = "p_"
                    externalInitializersFile = "rest.data"
                    share = true
                    stopShare = true
                    verification = Verification.WHEN_TOUCHED
                }
            }
        assertThat(options.disableModelCompile()).isTrue()
        assertThat(options.disableCpuFallback()).isTrue()
        assertThat(options.failOnSuboptimalModel()).isTrue()
        val context = options.epContext()
        assertThat(context.embedMode()).isEqualTo(1)
        assertThat(context.nodeNamePrefix()).isEqualTo("p_")
        assertThat(context.externalInitializersFile()).isEqualTo("rest.data")
        assertThat(context.share() && context.stopShare()).isTrue()
        assertThat(context.verification()).isEqualTo(Verification.WHEN_TOUCHED)
    }

    @Test
    fun `what the engine refuses is its own exception`() {
        engine().use { engine ->
            assertThatThrownBy { engine.session("no-such-file.onnx") }.isInstanceOf(EngineException::class.java)
        }
    }

    @Test
    fun `a model is compiled into memory by a coroutine`() =
        runBlocking<Unit> {
            engine { threads = 1 }.use { engine ->
                val phases = mutableListOf<String>()
                val buffer = ModelOutput.buffer()
                val compiler =
                    engine.compiler {
                        embed = true
                        errorIfNothingCompiled = true
                        session { providers { simd() } }
                        progress { phases += it.phase }
                    }
                compiler.compiled(ModelInput.memory(MemorySegment.ofArray(relu())), buffer)
                assertThat(phases).contains("read", "compile", "write")
                engine.session(buffer.bytes()) { disableModelCompile = true }.use { session ->
                    session.infer(inputs("x" to floatArrayOf(-1f, 3f).toTensor())).use { answer ->
                        assertThat(answer["y"].floats()).containsExactly(0f, 3f)
                    }
                }
            }
        }

    @Test
    fun `options have strings too`() {
        val options = sessionOptions { config("ep.context_embed_mode", "1") }
        assertThat(options.epContext().embedMode()).isEqualTo(1)
        assertThatThrownBy { sessionOptions { config("ep.context_embed_mode", "2") } }
            .isInstanceOf(EngineException::class.java)
    }

    @Test
    fun `models of a group are compiled into one binary`() {
        ContextGroup.create().use { group ->
            val options =
                sessionOptions {
                    epContext {
                        enable = true
                        nodeNamePrefix = "p_"
                        this.group = group
                    }
                }
            assertThat(options.epContext().group()).isSameAs(group)
            assertThat(options.epContext().nodeNamePrefix()).isEqualTo("p_")
        }
    }
}
