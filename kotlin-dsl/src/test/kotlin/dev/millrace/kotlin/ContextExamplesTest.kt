package dev.millrace.kotlin

import dev.millrace.epcontext.ContextGroup
import dev.millrace.graph.EngineException
import dev.millrace.graph.format.DataPlace
import dev.millrace.graph.format.Models
import dev.millrace.graph.format.WriteOptions
import dev.millrace.graph.ir.Dim
import dev.millrace.graph.ir.Graph
import dev.millrace.graph.ir.GraphEditor
import dev.millrace.graph.ir.Model
import dev.millrace.graph.ir.NodeSpec
import dev.millrace.graph.ir.OpId
import dev.millrace.graph.ir.SymbolicShape
import dev.millrace.graph.ir.ValueType
import dev.millrace.graph.tensor.ElementType
import dev.millrace.providers.spi.CapabilitySink
import dev.millrace.providers.spi.CompileContext
import dev.millrace.providers.spi.ExecutionProvider
import dev.millrace.providers.spi.HardwareDevice
import dev.millrace.providers.spi.Partition
import dev.millrace.providers.spi.ProviderDevice
import dev.millrace.providers.spi.ProviderFactory
import dev.millrace.providers.spi.ProviderOptions
import dev.millrace.providers.spi.WeightlessMode
import dev.millrace.scheduler.device.DeviceType
import dev.millrace.scheduler.device.MemoryKind
import dev.millrace.scheduler.kernel.Kernel
import dev.millrace.scheduler.kernel.ShapedKernel
import dev.millrace.session.Engine
import dev.millrace.session.InitializerPlacement
import dev.millrace.session.Inputs
import dev.millrace.session.ModelInput
import dev.millrace.session.ModelOutput
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.WRITE

/** The Kotlin of docs/guide/compiled-models-examples.md, word for word. */
class ContextExamplesTest {
    @TempDir
    lateinit var folder: Path

    private val engine: Engine = engine { threads = 1 }
    private val inputs: Inputs = inputs("x" to FloatArray(WIDTH).toTensor())

    @BeforeEach
    fun prepare() {
        val model = product()
        val names = listOf("model1", "model2")
        for (name in names) {
            Files.write(folder.resolve("$name.onnx"), model)
        }
        val data = Files.createDirectory(folder.resolve("external_data_folder"))
        val moved = Files.createDirectory(folder.resolve("model_folder"))
        val outside = WriteOptions.externalData("weights.bin", 64)
        Models.write(Models.read(model, null), data.resolve("model1.onnx"), outside)
        Files.copy(data.resolve("model1.onnx"), moved.resolve("model1.onnx"))
        val compiled = Files.createDirectory(folder.resolve("compiled"))
        for (name in names) {
            val output = ModelOutput.file(compiled.resolve("${name}_ctx.onnx"))
            engine.compiler().compile(ModelInput.file(folder.resolve("$name.onnx")), output)
        }
    }

    @AfterEach
    fun close() = engine.close()

    /** y = relu(x w) for vectors of one length. */
    private fun product(): ByteArray {
        val editor = GraphEditor(Graph.named("product"))
        val type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(WIDTH.toLong())))
        val x = editor.addInput("x", type)
        val w =
            editor.addConstant(
                "w",
                FloatArray(WIDTH * WIDTH) { it / 1000f }.toTensor(WIDTH.toLong(), WIDTH.toLong()),
            )
        val product = editor.append(NodeSpec.of(OpId.onnx("MatMul"), 21, x, w), listOf("p")).requireOutput(0)
        val node = editor.append(NodeSpec.of(OpId.onnx("Relu"), 21, product), listOf("y"))
        editor.addOutput("y", node.requireOutput(0))
        val header = Model.Header(10, "test", "1", "", 1, "")
        return Models.toBytes(Model(header, mapOf("" to 21), mapOf(), mapOf(), editor.graph(), null))
    }

    /** Without what a formatter decides. */
    private fun words(text: String): String = text.filterNot(Char::isWhitespace).replace(",)", ")").replace(",}", "}")

    @Test
    fun `the examples of the document are the ones that run here`() {
        val here = words(Files.readString(Path.of("src/test/kotlin/dev/millrace/kotlin/ContextExamplesTest.kt")))
        val document = Files.readString(Path.of("..", "docs", "guide", "compiled-models-examples.md"))
        val examples = Regex("```kotlin\\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(document).toList()
        assertThat(examples).hasSize(EXAMPLES)
        for (example in examples) {
            assertThat(here).contains(words(example.groupValues[1]))
        }
    }

    @Test
    fun `a session that leaves its context model`() {
        engine
            .session(folder.resolve("model1.onnx")) {
                config("ep.context_enable", "1")
                providers {
                    simd()
                    cpu()
                }
            }.use { session ->
                session.run(inputs).close()
            }
    }

    @Test
    fun `from memory`() {
        val buffer = Files.readAllBytes(folder.resolve("model1.onnx"))
        engine
            .session(buffer) {
                epContext {
                    enable = true
                    filePath = folder.resolve("model_ctx.onnx")
                }
            }.close()
    }

    @Test
    fun `from memory with external weights`() {
        val buffer = Files.readAllBytes(folder.resolve("model_folder/model1.onnx"))
        engine
            .session(buffer) {
                externalDataFolder = folder.resolve("external_data_folder")
                epContext {
                    enable = true
                    filePath = folder.resolve("model_folder/model_ctx.onnx")
                }
            }.close()
    }

    @Test
    fun `a session of a context model`() {
        engine.session(folder.resolve("compiled/model1_ctx.onnx")).use { session ->
            session.run(inputs).use { outputs -> outputs.get(0).floats() }
        }
    }

    @Test
    fun `a session of a context model in memory`() {
        val buffer = Files.readAllBytes(folder.resolve("compiled/model1_ctx.onnx"))
        engine
            .session(buffer) {
                epContext { filePath = folder.resolve("compiled/model1_ctx.onnx") }
            }.use { session ->
                session.run(inputs).close()
            }
    }

    @Test
    fun `models that share their weights`() {
        ContextGroup.create().use { group ->
            for (name in listOf("model1.onnx", "model2.onnx")) {
                engine
                    .session(folder.resolve(name)) {
                        epContext {
                            enable = true
                            this.group = group
                        }
                    }.close()
            }
            group.write()
        }
    }

    @Test
    fun `sessions of models that share their weights`() {
        engine.session(folder.resolve("compiled/model1_ctx.onnx")).use { session1 ->
            engine.session(folder.resolve("compiled/model2_ctx.onnx")).use { session2 ->
                session1.run(inputs).close()
                session2.run(inputs).close()
            }
        }
    }

    @Test
    fun `compiling to a stream with large initializers in a file`() {
        val target = folder.resolve("output_model.onnx")
        val weights = folder.resolve("output_model.bin")
        Files.newByteChannel(target, CREATE, WRITE).use { model ->
            FileChannel.open(weights, CREATE, WRITE).use { data ->
                engine
                    .compiler {
                        embed = true
                        placement =
                            InitializerPlacement { _, tensor, _ ->
                                val bytes = tensor.segment()
                                if (bytes.byteSize() < 64) {
                                    null // inside of the model
                                } else {
                                    val offset = data.position()
                                    data.write(bytes.asByteBuffer())
                                    DataPlace("output_model.bin", offset, bytes.byteSize())
                                }
                            }
                    }.compile(ModelInput.file(folder.resolve("model1.onnx")), ModelOutput.chunks { model.write(it) })
            }
        }
    }

    @Test
    fun `compiling with initializers left where they are`() {
        engine
            .compiler {
                placement = InitializerPlacement { _, _, original -> original }
            }.compile(
                ModelInput.file(folder.resolve("external_data_folder/model1.onnx")),
                ModelOutput.file(folder.resolve("external_data_folder/model1_ctx.onnx")),
            )
    }

    @Test
    fun `compiling for hardware that is not here`() {
        val device = HardwareDevice(DeviceType.NPU, 0x1234, "Contoso", 0, mapOf("is_virtual" to "1"))
        engine { virtualDevices = listOf(device) }.use { crossing ->
            crossing.compiler().compile(
                ModelInput.file(folder.resolve("model1.onnx")),
                ModelOutput.file(folder.resolve("output.onnx")),
            )
        }
    }

    @Test
    fun `weights stay in the source`() {
        val compiled = folder.resolve("weightless.onnx")
        engine
            .compiler { weightless = WeightlessMode.ALL }
            .compile(ModelInput.file(folder.resolve("model1.onnx")), ModelOutput.file(compiled))
        val source = Files.move(folder.resolve("model1.onnx"), folder.resolve("elsewhere.onnx"))
        engine
            .session(compiled) {
                epContext { sourceModel = source }
            }.use { session ->
                session.run(inputs).close()
            }
        assertThat(folder.resolve("weightless_simd.bin")).isRegularFile()
    }

    @Test
    fun `compiling models that share their weights`() {
        ContextGroup.create().use { shared ->
            val compiler = engine.compiler { group = shared }
            for (model in listOf("model1", "model2")) {
                compiler.compile(
                    ModelInput.file(folder.resolve("$model.onnx")),
                    ModelOutput.file(folder.resolve("${model}_shared.onnx")),
                )
            }
            shared.write()
        }
    }

    @Test
    fun `a provider that compiles for hardware that is not here`() {
        class Contoso : ExecutionProvider {
            override fun name() = "contoso"

            override fun claim(
                graph: Graph,
                sink: CapabilitySink,
            ) = sink.fuse(graph.nodes().toList())

            override fun compile(
                partitions: List<Partition>,
                context: CompileContext,
            ): List<Kernel> =
                partitions.map { partition ->
                    if (partition.isContext) {
                        context.resolve(partition.onlyNode()).plan() // what was kept below
                    } else {
                        context.sink()?.let { sink ->
                            val constants = partition.graph().constants().mapNotNull { it.constant() }
                            val segments = constants.map { sink.segment(it.segment()) }.toIntArray()
                            sink.graph(partition, "the device's program".toByteArray(), segments)
                        }
                    }
                    ShapedKernel { throw EngineException.notImplemented("there is no such GPU here") }
                }
        }

        class ContosoFactory : ProviderFactory {
            override fun name() = "contoso"

            override fun vendor() = "Contoso"

            override fun version() = "1.0.0"

            override fun devices(hardware: List<HardwareDevice>) =
                hardware
                    .filter { it.type() == DeviceType.GPU && it.vendor() == vendor() }
                    .map {
                        val options = mapOf("compile_optimization" to "O3")
                        ProviderDevice(name(), it, mapOf("some_metadata" to "1"), options, listOf(MemoryKind.DEFAULT))
                    }

            override fun create(
                devices: List<ProviderDevice>,
                options: ProviderOptions,
            ) = Contoso()
        }

        val gpu = HardwareDevice(DeviceType.GPU, 0x1234, "Contoso", 0, mapOf("is_virtual" to "1"))
        engine {
            virtualDevices = listOf(gpu)
            providers = listOf(ContosoFactory())
        }.use { crossing ->
            val compiler =
                crossing.compiler {
                    session { providers { provider("contoso") } }
                    errorIfNothingCompiled = true
                }
            val output = ModelOutput.file(folder.resolve("output.onnx"))
            compiler.compile(ModelInput.file(folder.resolve("model1.onnx")), output)
        }
        assertThat(folder.resolve("output_contoso.bin")).isNotEmptyFile()
    }

    private companion object {
        const val WIDTH = 48
        const val EXAMPLES = 13
    }
}
