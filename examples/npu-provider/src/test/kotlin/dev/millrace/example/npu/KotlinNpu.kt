package dev.millrace.example.npu

import dev.millrace.graph.EngineException
import dev.millrace.graph.ir.Graph
import dev.millrace.providers.spi.CapabilitySink
import dev.millrace.providers.spi.CompileContext
import dev.millrace.providers.spi.EpContext
import dev.millrace.providers.spi.ExecutionProvider
import dev.millrace.providers.spi.HardwareDevice
import dev.millrace.providers.spi.Partition
import dev.millrace.providers.spi.ProviderDevice
import dev.millrace.providers.spi.ProviderFactory
import dev.millrace.providers.spi.ProviderOptions
import dev.millrace.providers.tests.ProviderTests
import dev.millrace.scheduler.device.MemoryKind
import dev.millrace.scheduler.kernel.Kernel

/** The factory and the provider of the NPU in Kotlin, over the device and the compiler of the Java one. */
class KotlinNpuFactory : ProviderFactory {
    private val here = NpuTarget.installed()
    private val device = NpuDevice(here)
    private val weights = NpuWeights(device)

    override fun name() = "kotlin-npu"

    override fun vendor() = "Example"

    override fun version(): String = here.sdk()

    override fun devices(hardware: List<HardwareDevice>) =
        hardware
            .filter { incompatibilities(it).isEmpty() }
            .map { ProviderDevice(name(), it, metadata(it), emptyMap(), listOf(MemoryKind.DEFAULT)) }

    private fun metadata(hardware: HardwareDevice) =
        mapOf("version" to version(), "generation" to here.on(hardware).generation().toString())

    override fun validate(
        devices: List<HardwareDevice>,
        info: String,
    ) = here.verdict(devices, info)

    override fun create(
        devices: List<ProviderDevice>,
        options: ProviderOptions,
    ): ExecutionProvider = Provider(name(), NpuSettings.of(options))

    override fun close() = device.close()

    private inner class Provider(
        private val name: String,
        settings: NpuSettings,
    ) : ExecutionProvider {
        private val session = NpuSession(settings, false)

        override fun name() = name

        override fun device() = device

        override fun claim(
            graph: Graph,
            sink: CapabilitySink,
        ) {
            val (contexts, others) = graph.nodes().partition { it.op() == EpContext.OP }
            contexts
                .filter { it.attributes().text(EpContext.SOURCE, "") == name }
                .forEach { sink.fuse(listOf(it)) }
            sink.fuse(others.filter(NpuOperators::isSupported))
        }

        override fun compile(
            partitions: List<Partition>,
            context: CompileContext,
        ): List<Kernel> {
            val kernels = mutableListOf<Kernel>()
            try {
                partitions.mapTo(kernels) { NpuKernel(program(it, context), weights, session) }
            } catch (e: EngineException) {
                release(kernels)
                throw e
            }
            return kernels
        }

        private fun program(
            partition: Partition,
            context: CompileContext,
        ): NpuProgram {
            if (partition.isContext) {
                return NpuContainer.read(context.resolve(partition.onlyNode()), here)
            }
            val program = NpuCompiler.compile(partition.graph())
            context.sink()?.let { sink ->
                val segments = program.constants().map { sink.segment(it.data()) }
                sink.graph(partition, NpuContainer.write(program, here), segments.toIntArray())
            }
            return program
        }

        override fun release(kernels: List<Kernel>) = kernels.forEach { (it as NpuKernel).release() }

        override fun compatibilityInfo(graph: Graph): String = here.text()
    }
}

/** Runs the tests of providers over the NPU in Kotlin. */
class KotlinNpuTest : ProviderTests() {
    override fun factory() = KotlinNpuFactory()
}
